/** A button that copies a text and shows the result for two seconds. */
import { memo, type ReactNode, useEffect, useState } from "react";
import type { CopyButtonProps } from "../views.ts";

const SHOWN_MS = 2000;

export const CopyButton = memo(function CopyButton(props: CopyButtonProps): ReactNode {
  const { text, label, words, doneWords, refusedWords } = props;
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    const [written] = await Promise.allSettled([navigator.clipboard?.writeText(text) ?? Promise.reject()]);
    setSaid(written.status === "fulfilled" ? doneWords : refusedWords);
  };
  return (
    <button type="button" className="copy" onClick={copy} aria-label={label} title={label}>
      <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" aria-hidden>
        {said ? <path d="m3 8.5 3.2 3.2L13 4.8" strokeLinecap="round" /> : <path d="M6 5.5h7v8H6zM10 5.5v-3H3v8h3" />}
      </svg>
      <span aria-live="polite">{said || words}</span>
    </button>
  );
});
