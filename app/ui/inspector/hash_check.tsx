/** Shows whether a text has the expected SHA-256, computed in the browser; nothing if the browser cannot compute it. */
import { type ReactNode, useEffect, useState } from "react";
import type { HashCheckProps } from "./views.ts";

export function HashCheck({ text, expected, same, other }: HashCheckProps): ReactNode {
  const [found, setFound] = useState("");
  useEffect(() => {
    let wanted = true;
    hashOf(text).then((hash) => wanted && setFound(hash));
    return () => {
      wanted = false;
    };
  }, [text]);
  if (!found) return null;
  return found === expected ? same : <strong className="inspector-fault">{other}</strong>;
}

/** The SHA-256 in hex; "" without a secure connection, because browsers then lack the function. */
async function hashOf(text: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
