/** Drafts: what was typed and not sent, by conversation ("" is the one that is not there yet). They survive a reload. */

const key = (conversation) => `inview.draft.${conversation || "new"}`;

export const readDraft = (conversation) => localStorage.getItem(key(conversation)) ?? "";

export function writeDraft(conversation, text) {
  if (text === readDraft(conversation)) return;
  if (text) localStorage.setItem(key(conversation), text);
  else localStorage.removeItem(key(conversation));
}
