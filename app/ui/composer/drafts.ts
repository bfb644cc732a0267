/**
 * Drafts: what was typed and not sent, by conversation ("" is the one that is not there yet), and the JSON schema and
 * the uploads that go with it. They survive a reload.
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
  const read = (conversation: string) => unwritten.get(conversation) ?? kept(conversation);
  /** `lasting`: it may be written to the disk. */
  const write = (conversation: string, text: string, lasting: boolean) => {
    if (lasting) unwritten.delete(conversation);
    if (text === read(conversation)) return;
    if (!lasting) unwritten.set(conversation, text);
    else if (text) disk().setItem(keyOf(conversation), text);
    else disk().removeItem(keyOf(conversation));
  };
  /** Change what is kept, where it is kept. */
  const rewrite = (conversation: string, text: string) => write(conversation, text, !unwritten.has(conversation));
  return { read, write, rewrite };
}

export const texts = draftsIn("inview.draft.");
export const schemas = draftsIn("inview.schema.");
export const uploads = draftsIn("inview.files.");
