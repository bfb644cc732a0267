/**
 * Requests sent from this tab that are not among the pairs on the page yet. The transcript shows them at its end, and
 * scrolls to a request's pair when it appears. It also scrolls to a pair that was edited and sent again.
 */
import { signal } from "../signal.ts";

/**
 * A request that was sent. `conversation` is "" for the first message of a new one. `isPair`: it becomes a pair at
 * once, not only when a comparison ends. `isAccepted`: the server has accepted it.
 */
export interface SentText {
  readonly conversation: string;
  readonly text: string;
  readonly isPair: boolean;
  readonly isAccepted: boolean;
}

/** The pair whose edited request was sent from this tab last, "" for none. */
export const resentHere = signal("");

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

/** Remove a text that is a pair on the page now, or that was not sent. Returns whether it was in the list. */
export function dropSent(text: string): boolean {
  const at = sentHere.get().findIndex(isOf(text));
  if (at >= 0) sentHere.set(sentHere.get().filter((_, each) => each !== at));
  return at >= 0;
}

/** Remove the texts that match. */
export const dropWhere = (isPast: (one: SentText) => boolean): void => {
  if (sentHere.get().some(isPast)) sentHere.set(sentHere.get().filter((one) => !isPast(one)));
};
