/**
 * Sends without an answer. Their texts stay part of the draft, and a text returns to the box if its send is refused.
 *
 * If the connection is lost, the texts also return to the box, although the server may have received them. A text that
 * is then sent again gets the same id, which the server accepts only once. An answer that arrives later removes the
 * text from the box.
 *
 * The sends outlive the page that they were made on, because the first message of a conversation leads to another page.
 * The tab stores them, so that after a reload their texts are in the box and keep their ids.
 */

/** A text that was sent, the conversation it was written in, and the JSON schema and the uploads that belong to it. */
export interface Sent {
  readonly conversation: string;
  readonly text: string;
  readonly schema: string;
  readonly files: string;
}

/** The storage of the tab. After a reload, the same tab still gets the answers. */
export type Notes = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** `moved`: the conversation whose draft the text of a refused send becomes, if that is another one than before. */
export interface Answer {
  readonly id: string;
  readonly accepted: boolean;
  readonly moved?: string;
}

/** A refused send whose text becomes part of the draft of the conversation `to`. */
export interface Moved {
  readonly sent: Sent;
  readonly to: string;
}

/**
 * The result of processing answers. `accepted`: these sends were accepted. `refused`: their texts must return to the
 * box. `moved`: their texts go to the box of another conversation. `arrived`: their texts returned to the box earlier,
 * but the server had received them.
 */
export interface Settled {
  readonly accepted: readonly Sent[];
  readonly refused: readonly Sent[];
  readonly moved: readonly Moved[];
  readonly arrived: readonly Sent[];
}

const NOTES = "inview.sent";

export class Pending {
  readonly #sent = new Map<string, Sent>();
  readonly #abandoned = new Map<string, Sent>();
  readonly #session: string;
  readonly #notes: () => Notes;
  readonly #lasting = new Set<string>(); // ids of sends that may be stored in the tab
  #isNoted = true;
  #isRecalled = false;
  #count = 0;

  /** `session`: a prefix of ids, so that the ids of two sessions differ. */
  constructor(session: string, notes: () => Notes = () => sessionStorage) {
    this.#session = session;
    this.#notes = notes;
  }

  /** Restore the sends that had no answer before a reload, if the draft still contains them. */
  recall(isThere: (sent: Sent) => boolean): void {
    if (this.#isRecalled) return;
    this.#isRecalled = true;
    const noted: [string, Sent][] = JSON.parse(this.#notes().getItem(NOTES) ?? "[]");
    for (const [id, sent] of noted) {
      if (!isThere(sent)) continue;
      this.#abandoned.set(id, sent);
      this.#lasting.add(id);
    }
    this.#isNoted = false;
  }

  /** Store the unanswered sends in the tab. New sends of this conversation are stored only if it is `lasting`. */
  note(conversation: string, lasting: boolean): void {
    const all = [...this.#abandoned, ...this.#sent];
    for (const [id, sent] of all) {
      if (!lasting || sent.conversation !== conversation || this.#lasting.has(id)) continue;
      this.#lasting.add(id);
      this.#isNoted = false;
    }
    if (this.#isNoted) return;
    const noted = all.filter(([id]) => this.#lasting.has(id));
    if (noted.length) this.#notes().setItem(NOTES, JSON.stringify(noted));
    else this.#notes().removeItem(NOTES);
    this.#isNoted = true;
  }

  /** Record a send. Returns its id, which is that of an equal abandoned send, if there is one (`again`). */
  add(sent: Sent): { readonly id: string; readonly again: boolean } {
    const same = ([, { conversation, text, schema, files }]: [string, Sent]) =>
      conversation === sent.conversation && text === sent.text && schema === sent.schema && files === sent.files;
    const known = [...this.#abandoned].find(same)?.[0];
    const id = known ?? this.#newId();
    this.#abandoned.delete(id);
    this.#sent.set(id, sent);
    return { id, again: known !== undefined };
  }

  /** Forget the abandoned sends of a conversation whose text is not in the box now: the same text is a new one then. */
  forgetRemoved(conversation: string, written: string): void {
    for (const [id, sent] of this.#abandoned) {
      if (sent.conversation !== conversation || !sent.text || holds(sent.text, written)) continue;
      this.#abandoned.delete(id);
      if (this.#lasting.delete(id)) this.#isNoted = false;
    }
  }

  /** True if a send from this conversation waits for its answer. */
  waits(conversation: string): boolean {
    return [...this.#sent.values()].some((one) => one.conversation === conversation);
  }

  /** The draft of a conversation: the texts of its unanswered sends, then the text in the box. */
  draftOf(conversation: string, written: string): string {
    return [...this.#textsOf(conversation), written].filter(Boolean).join("\n");
  }

  /** The part of a draft that belongs in the box: the draft without the texts of unanswered sends. */
  writtenOf(conversation: string, draft: string): string {
    return this.#textsOf(conversation).reduce((rest, text) => without(text, rest), draft);
  }

  /** Process answers. Answers to other sessions and repeated answers have no effect. */
  settle(answers: readonly Answer[]): Settled {
    const settled = { accepted: [] as Sent[], refused: [] as Sent[], moved: [] as Moved[], arrived: [] as Sent[] };
    for (const { id, accepted, moved } of answers) {
      const sent = this.#sent.get(id);
      const back = this.#abandoned.get(id);
      this.#sent.delete(id);
      this.#abandoned.delete(id);
      if (this.#lasting.delete(id)) this.#isNoted = false;
      if (sent && moved) settled.moved.push({ sent, to: moved });
      else if (sent) settled[accepted ? "accepted" : "refused"].push(sent);
      if (back && accepted) settled.arrived.push(back);
    }
    return settled;
  }

  /** Give up waiting because the connection is lost. Returns the sends that had no answer. */
  abandon(): readonly Sent[] {
    const sent = [...this.#sent.values()];
    for (const [id, one] of this.#sent) this.#abandoned.set(id, one);
    this.#sent.clear();
    return sent;
  }

  #textsOf(conversation: string): string[] {
    return [...this.#sent.values()].filter((one) => one.conversation === conversation).map(({ text }) => text);
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#session}-${this.#count}`;
  }
}

/** Join two texts by a line break; an empty text is left out. */
export const before = (text: string, written: string): string => [text, written].filter(Boolean).join("\n");

const placeOf = (text: string, written: string) => (text ? `\n${written}\n`.indexOf(`\n${text}\n`) : -1);

/** True if the written text contains the lines of a text. */
export const holds = (text: string, written: string): boolean => placeOf(text, written) >= 0;

/** Remove the lines of a text from the written text. It is returned unchanged if it does not contain them. */
export function without(text: string, written: string): string {
  const at = placeOf(text, written);
  return at < 0 ? written : (written.slice(0, at) + `${written}\n`.slice(at + text.length + 1)).slice(0, -1);
}
