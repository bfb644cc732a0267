/**
 * Sends that have no answer yet: their texts stay part of the draft, and go back into the box when they are refused.
 * When the connection is lost they go back too, though they may have arrived: the same text is then sent under the same
 * id, which the server takes once, and an answer that comes later takes it out of the box again.
 *
 * They outlive the page they were sent from, since the first text of a conversation leads to another page.
 */

/** A text on its way, and the conversation it was written in. */
export type Sent = Readonly<{ conversation: string; text: string }>;

export type Answer = Readonly<{ id: string; accepted: boolean }>;

/** What answers say: texts that go back into the box, and those in the box that have arrived after all. */
export type Settled = Readonly<{ refused: readonly Sent[]; arrived: readonly Sent[] }>;

export class Pending {
  readonly #sent = new Map<string, Sent>();
  readonly #abandoned = new Map<string, Sent>();
  readonly #session: string;
  #count = 0;

  /** `session`: ids of one differ from those of any other. */
  constructor(session: string) {
    this.#session = session;
  }

  /** Remember a send. Returns its id: that of the same text, if nobody knows what became of it. */
  add(sent: Sent): string {
    const same = ([, { conversation, text }]: [string, Sent]) =>
      conversation === sent.conversation && text === sent.text;
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
    const texts = [...this.#sent.values()].filter((one) => one.conversation === conversation).map(({ text }) => text);
    return [...texts, written].filter(Boolean).join("\n");
  }

  /** Take in answers; those of other sessions, and those known already, say nothing. */
  settle(answers: readonly Answer[]): Settled {
    const refused: Sent[] = [];
    const arrived: Sent[] = [];
    for (const { id, accepted } of answers) {
      const sent = this.#sent.get(id);
      const back = this.#abandoned.get(id);
      this.#sent.delete(id);
      this.#abandoned.delete(id);
      if (sent && !accepted) refused.push(sent);
      if (back && accepted) arrived.push(back);
    }
    return { refused, arrived };
  }

  /** The connection is lost. Returns what was on its way. */
  abandon(): readonly Sent[] {
    const sent = [...this.#sent.values()];
    for (const [id, one] of this.#sent) this.#abandoned.set(id, one);
    this.#sent.clear();
    return sent;
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#session}-${this.#count}`;
  }
}

/** A text before another. */
export const before = (text: string, written: string): string => [text, written].filter(Boolean).join("\n");

/** What is written without the lines of a text; as it is where they are not there any more. */
export function without(text: string, written: string): string {
  const lines = `\n${written}\n`;
  const at = lines.indexOf(`\n${text}\n`);
  return at < 0 ? written : (lines.slice(1, at + 1) + lines.slice(at + text.length + 2)).slice(0, -1);
}
