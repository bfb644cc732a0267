/** Says that a conversation was deleted, wherever in the page that was, and offers to bring it back. */
import { useEffect } from "react";
import { fetchPart } from "./lazy.js";

const FRESH_MS = 60_000; // a page that is opened later says nothing of it

export function Deleted({ conversation: id, name, at }) {
  useEffect(() => {
    if (!id || Date.now() - Date.parse(at) > FRESH_MS) return;
    fetchPart(() => import("./undelete.js")).then(({ describe, offer }) => offer(id, describe({ kind: "conversation", title: name }), "conversation"));
  }, [id, at]);
  return null;
}
