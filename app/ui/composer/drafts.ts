/**
 * Drafts: text that was typed and not sent, by conversation ("" is the new conversation), and the JSON schema and
 * the uploads that belong to it. They survive a reload.
 *
 * Several tabs may show one conversation, so each tab writes only what changed in its own box: an empty box in another
 * tab does not delete a draft. When a tab leaves a conversation, the text in its box becomes the draft.
 *
 * Drafts of a conversation are only in memory until the conversation is known to be stored on disk; the drafts of
 * temporary conversations stay in memory.
 */

/** The methods of the browser's storage that drafts use. */
export type Disk = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export function draftsIn(prefix: string, disk: () => Disk = () => localStorage) {
  const unwritten = new Map<string, string>();
  const keyOf = (conversation: string) => `${prefix}${conversation || "new"}`;
  const kept = (conversation: string) => disk().getItem(keyOf(conversation)) ?? "";
  const own = new Map<string, string>(); // the text that this tab last read from the disk or wrote to it
  const read = (conversation: string) => {
    const text = unwritten.get(conversation);
    if (text !== undefined) return text;
    own.set(conversation, kept(conversation));
    return kept(conversation);
  };
  const put = (conversation: string, text: string, lasting: boolean) => {
    if (!lasting) return void unwritten.set(conversation, text);
    unwritten.delete(conversation);
    own.set(conversation, text);
    if (text) disk().setItem(keyOf(conversation), text);
    else disk().removeItem(keyOf(conversation));
  };
  /** `lasting`: the draft may be written to the disk. A text that the disk already has is not stored in memory. */
  const write = (conversation: string, text: string, lasting: boolean) => {
    if (!lasting && !unwritten.has(conversation) && text === kept(conversation)) return;
    if (!lasting || unwritten.has(conversation) || text !== own.get(conversation)) put(conversation, text, lasting);
  };
  /** Write a draft when the tab leaves its conversation: a text that is not empty always becomes the draft. */
  const leave = (conversation: string, text: string, lasting: boolean) =>
    (text ? put : write)(conversation, text, lasting);
  /** Replace a draft where it is stored: in memory or on the disk. */
  const rewrite = (conversation: string, text: string) => put(conversation, text, !unwritten.has(conversation));
  return { read, write, leave, rewrite };
}

export const texts = draftsIn("inview.draft.");
export const schemas = draftsIn("inview.schema.");
export const uploads = draftsIn("inview.files.");
