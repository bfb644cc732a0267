/**
 * Drafts of texts that wait in the queue and are being edited, by their ids. They survive a reload.
 *
 * Those of temporary conversations are in memory alone, as are others until it is known that they are not temporary.
 */
import { isTemporary, subscribeKind } from "./temporary.js";

function keep(prefix) {
  const key = (conversation) => `${prefix}${conversation || "new"}`;
  const unwritten = new Map();
  const read = (conversation) => unwritten.get(conversation || "") ?? localStorage.getItem(key(conversation)) ?? "";
  const write = (conversation, text) => {
    if (text === read(conversation)) return;
    if (isTemporary(conversation) !== false) unwritten.set(conversation || "", text);
    else if (text) localStorage.setItem(key(conversation), text);
    else localStorage.removeItem(key(conversation));
  };
  subscribeKind(() => {
    for (const [conversation, text] of unwritten) {
      if (isTemporary(conversation) !== false) continue;
      unwritten.delete(conversation);
      write(conversation, text);
    }
  });
  return [read, write];
}

export const [readDraft, writeDraft] = keep("inview.draft.");
