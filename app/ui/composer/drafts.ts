/**
 * Drafts: what was typed and not sent, by conversation ("" is the one that is not there yet), and the JSON schema and
 * the uploads that go with it. They survive a reload.
 *
 * Each tab writes what changed in its own box, as several tabs may show one conversation: an empty box elsewhere takes
 * no draft away. When a tab leaves a conversation, the text in its box is the draft.
 *
 * Drafts of a conversation are in memory alone until it is known that it may be written to the disk; those of temporary
 * ones stay there.
 */

/** What drafts need of the browser's storage. */
export type Disk = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export function draftsIn(prefix: string, disk: () => Disk = () => localStorage) {
  const unwritten = new Map<string, string>();
  const keyOf = (conversation: string) => `${prefix}${conversation || "new"}`;
  const kept = (conversation: string) => disk().getItem(keyOf(conversation)) ?? "";
  const own = new Map<string, string>(); // what this tab last read of the disk or wrote there
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
  /** `lasting`: it may be written to the disk. What the disk has already needs no place in memory. */
  const write = (conversation: string, text: string, lasting: boolean) => {
    if (!lasting && !unwritten.has(conversation) && text === kept(conversation)) return;
    if (!lasting || unwritten.has(conversation) || text !== own.get(conversation)) put(conversation, text, lasting);
  };
  /** Like `write`, at the end of a visit. */
  const leave = (conversation: string, text: string, lasting: boolean) =>
    (text ? put : write)(conversation, text, lasting);
  /** Change what is kept, where it is kept. */
  const rewrite = (conversation: string, text: string) => put(conversation, text, !unwritten.has(conversation));
  return { read, write, leave, rewrite };
}

export const texts = draftsIn("inview.draft.");
export const schemas = draftsIn("inview.schema.");
export const uploads = draftsIn("inview.files.");
