/**
 * Drafts: text that was typed and not sent, by conversation ("" is the new conversation), and the JSON schema and
 * the uploads that belong to it. They survive a reload.
 *
 * Several tabs may show one conversation. The disk has its newest text, which a new tab shows. Each tab also stores the
 * text in its own box, so that a reload shows that text and not the text of another tab. A tab writes only what changed
 * in its box: an empty box in another tab does not delete a draft. When a tab leaves a conversation, the text in its
 * box becomes the draft. If another tab replaces it with another text, both are kept, each by its tab.
 *
 * Drafts of a conversation are only in memory until the conversation is known to be stored on disk; the drafts of
 * temporary conversations stay in memory.
 */

/** The methods of the browser's storage that drafts use. */
export type Disk = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export function draftsIn(
  prefix: string,
  disk: () => Disk = () => localStorage,
  tab: () => Disk = () => sessionStorage,
) {
  const unwritten = new Map<string, string>();
  const keyOf = (conversation: string) => `${prefix}${conversation || "new"}`;
  const kept = (conversation: string) => disk().getItem(keyOf(conversation)) ?? "";
  const own = new Map<string, string>(); // the text that this tab last read from the disk or wrote to it
  const left = new Map<string, string>(); // the texts in the boxes that this tab has left since the page was loaded
  const find = (conversation: string) => {
    const [text, before] = [kept(conversation), left.get(conversation)];
    // A draft that no longer exists was sent in another tab. A draft that continues the text of this tab replaces it.
    const isOther = text && before && !text.includes(before);
    return tab().getItem(keyOf(conversation)) ?? (isOther ? before : text);
  };
  const read = (conversation: string) => {
    const text = unwritten.get(conversation);
    if (text !== undefined) return text;
    const found = find(conversation);
    own.set(conversation, found);
    return found;
  };
  const put = (conversation: string, text: string, lasting: boolean) => {
    if (!lasting) return void unwritten.set(conversation, text);
    unwritten.delete(conversation);
    own.set(conversation, text);
    if (text) disk().setItem(keyOf(conversation), text);
    else disk().removeItem(keyOf(conversation));
  };
  const write = (conversation: string, text: string, lasting: boolean) => {
    if (!lasting && !unwritten.has(conversation) && text === (own.get(conversation) ?? kept(conversation))) return;
    if (!lasting || unwritten.has(conversation) || text !== own.get(conversation)) put(conversation, text, lasting);
  };
  /**
   * Write the text in the box. `lasting`: it may be written to the disk. A text that the disk already has is not stored
   * in memory.
   */
  const writeBox = (conversation: string, text: string, lasting: boolean) => {
    write(conversation, text, lasting);
    if (lasting && tab().getItem(keyOf(conversation)) !== text) tab().setItem(keyOf(conversation), text);
  };
  /** Write the text in the box when the page is closed or reloaded: a text that is not empty becomes the draft. */
  const close = (conversation: string, text: string, lasting: boolean) => {
    if (text) put(conversation, text, lasting);
    writeBox(conversation, text, lasting);
  };
  /** Remove what this tab stored for a reload. */
  const drop = (conversation: string) => tab().removeItem(keyOf(conversation));
  /** Write the text in the box when the tab leaves the conversation: a text that is not empty becomes the draft. */
  const leave = (conversation: string, text: string, lasting: boolean) => {
    (text ? put : write)(conversation, text, lasting);
    drop(conversation);
    if (lasting) left.set(conversation, text);
  };
  /** Replace a draft where it is stored: in memory or on the disk. */
  const rewrite = (conversation: string, text: string) => {
    put(conversation, text, !unwritten.has(conversation));
    left.delete(conversation);
    if (tab().getItem(keyOf(conversation)) !== null) tab().setItem(keyOf(conversation), text);
  };
  return { read, write: writeBox, close, leave, drop, rewrite };
}

export const texts = draftsIn("inview.draft.");
export const schemas = draftsIn("inview.schema.");
export const uploads = draftsIn("inview.files.");
