/**
 * Requests sent from this tab that are not among the pairs on the page yet. The transcript shows them at its end, and goes
 * to the pair of one when it appears.
 */
import { signal } from "./signal.ts";

/** `conversation` is "" for the first message of one. `isPair`: it becomes a pair at once, and not after a comparison. */
export interface SentText {
  readonly conversation: string;
  readonly text: string;
  readonly isPair: boolean;
  readonly isAccepted: boolean;
}

export const sentHere = signal<readonly SentText[]>([]);

const isOf =
  (text: string) =>
  (one: SentText): boolean =>
    one.text === text;

export const noteSent = (conversation: string, text: string, isPair: boolean): void =>
  sentHere.set([...sentHere.get(), { conversation, text, isPair, isAccepted: false }]);

export const acceptSent = (text: string): void => {
  if (sentHere.get().some(isOf(text)))
    sentHere.set(sentHere.get().map((one) => (isOf(text)(one) ? { ...one, isAccepted: true } : one)));
};

/** Its pair has come, or it was not sent. Returns whether it was here. */
export function dropSent(text: string): boolean {
  const at = sentHere.get().findIndex(isOf(text));
  if (at >= 0) sentHere.set(sentHere.get().filter((_, each) => each !== at));
  return at >= 0;
}

/** Drop what this says. */
export const dropWhere = (isPast: (one: SentText) => boolean): void => {
  if (sentHere.get().some(isPast)) sentHere.set(sentHere.get().filter((one) => !isPast(one)));
};
