/**
 * Sends that have no answer yet: their texts stay part of the draft, and go back into the box when they are refused.
 * When the connection is lost they go back too, though they may have arrived: the same text is then sent under the same
 * id, which the server takes once, and an answer that comes later takes it out of the box again.
 *
 * They outlive the page they were sent from, since the first text of a conversation leads to another page. After a reload
 * their texts are in the box, and are known by their ids as after a lost connection: the tab has a note of them.
 */

/** A text on its way, the conversation it was written in, and the JSON schema and the uploads that go with it. */
export interface Sent {
  readonly conversation: string;
  readonly text: string;
  readonly schema: string;
  readonly files: string;
}

/** The storage of the tab. Answers are for the tab, and come after a reload too. */
export type Notes = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface Answer {
  readonly id: string;
  readonly accepted: boolean;
}

/** What answers say: texts that were `accepted`; that go back into the box; that are in the box, but have `arrived`. */
export interface Settled {
  readonly accepted: readonly Sent[];
  readonly refused: readonly Sent[];
  readonly arrived: readonly Sent[];
}

const NOTES = "inview.sent";

export class Pending {
  readonly #sent = new Map<string, Sent>();
  readonly #abandoned = new Map<string, Sent>();
  readonly #session: string;
  readonly #notes: () => Notes;
  readonly #lasting = new Set<string>(); // ids that the note may have
  #isNoted = true;
  #isRecalled = false;
  #count = 0;

  /** `session`: ids of one differ from those of any other. */
  constructor(session: string, notes: () => Notes = () => sessionStorage) {
    this.#session = session;
    this.#notes = notes;
  }

  /** Know again what was on its way before a reload, as far as its draft still has it. */
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

  /** Note what is on its way for the page after a reload, but nothing new of a conversation that is not `lasting`. */
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

  /** Remember a send. Returns its id: that of the same text or, without one, the same files, if it has no answer. */
  add(sent: Sent): string {
    const same = ([, { conversation, text, files }]: [string, Sent]) =>
      conversation === sent.conversation && text === sent.text && (text || files === sent.files);
    const id = [...this.#abandoned].find(same)?.[0] ?? this.#newId();
    this.#abandoned.delete(id);
    this.#sent.set(id, sent);
    return id;
  }

  /** Whether a send from this conversation waits for its answer. */
  waits(conversation: string): boolean {
    return [...this.#sent.values()].some((one) => one.conversation === conversation);
  }

  /** The draft of a conversation: what is on its way, then what is written. */
  draftOf(conversation: string, written: string): string {
    return [...this.#textsOf(conversation), written].filter(Boolean).join("\n");
  }

  /** What is written of a draft: without what is on its way. */
  writtenOf(conversation: string, draft: string): string {
    return this.#textsOf(conversation).reduce((rest, text) => without(text, rest), draft);
  }

  /** Take in answers; those of other sessions, and those known already, say nothing. */
  settle(answers: readonly Answer[]): Settled {
    const settled = { accepted: [] as Sent[], refused: [] as Sent[], arrived: [] as Sent[] };
    for (const { id, accepted } of answers) {
      const sent = this.#sent.get(id);
      const back = this.#abandoned.get(id);
      this.#sent.delete(id);
      this.#abandoned.delete(id);
      if (this.#lasting.delete(id)) this.#isNoted = false;
      if (sent) settled[accepted ? "accepted" : "refused"].push(sent);
      if (back && accepted) settled.arrived.push(back);
    }
    return settled;
  }

  /** The connection is lost. Returns what was on its way. */
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

/** A text before another. */
export const before = (text: string, written: string): string => [text, written].filter(Boolean).join("\n");

const placeOf = (text: string, written: string) => (text ? `\n${written}\n`.indexOf(`\n${text}\n`) : -1);

/** Whether what is written has the lines of a text. */
export const holds = (text: string, written: string): boolean => placeOf(text, written) >= 0;

/** What is written without the lines of a text; as it is where they are not there any more. */
export function without(text: string, written: string): string {
  const at = placeOf(text, written);
  return at < 0 ? written : (written.slice(0, at) + `${written}\n`.slice(at + text.length + 1)).slice(0, -1);
}
