/**
 * Drafts: what was typed and not sent, by conversation ("" is the one that is not there yet), and the JSON schema that
 * goes with it. They survive a reload.
 *
 * Drafts of a conversation are in memory alone until it is known that it may be written to the disk; those of temporary
 * ones stay there.
 */

/** What drafts need of the browser's storage. */
export type Disk = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Drafts {
  readonly #prefix: string;
  readonly #disk: () => Disk;
  readonly #unwritten = new Map<string, string>();

  constructor(prefix: string, disk: () => Disk) {
    this.#prefix = prefix;
    this.#disk = disk;
  }

  read(conversation: string): string {
    return this.#unwritten.get(conversation) ?? this.#disk().getItem(this.#key(conversation)) ?? "";
  }

  /** `lasting`: it may be written to the disk. */
  write(conversation: string, text: string, lasting: boolean): void {
    if (!lasting) {
      if (text !== this.read(conversation)) this.#unwritten.set(conversation, text);
      return;
    }
    this.#unwritten.delete(conversation);
    const key = this.#key(conversation);
    if (text === (this.#disk().getItem(key) ?? "")) return;
    if (text) this.#disk().setItem(key, text);
    else this.#disk().removeItem(key);
  }

  #key(conversation: string): string {
    return `${this.#prefix}${conversation || "new"}`;
  }
}

const browser = (): Disk => localStorage;

export const texts = new Drafts("inview.draft.", browser);
export const schemas = new Drafts("inview.schema.", browser);
