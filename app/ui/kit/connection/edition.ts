/**
 * The edition: the number of the current text in the composer. It increases with every change of the text, also over
 * reloads.
 *
 * Data from Python about a text has the edition of this text. If it is not the current edition, the data is outdated.
 */
import { signal } from "../signal.ts";

const PER_MS = 0.1;

const edition = signal(0);
let last = Math.trunc(Date.now() * PER_MS) % 2 ** 30;

/** The number of characters in the composer if its text is too large to send, else 0. Such a text is not counted. */
export const oversize = signal(0);

export const currentEdition = edition.get;

/** Increase the edition, because the text in the composer has changed or will change. */
export function renewEdition(): void {
  last += 1;
  edition.set(last);
}

/** Set the edition to 0, because the page has no composer: nothing is outdated then. */
export function endEdition(): void {
  edition.set(0);
  oversize.set(0);
}

/** True if data with the edition `of` is outdated. */
export function useOutdated(of: number | undefined): boolean {
  const now = edition.use();
  return of !== undefined && now !== 0 && now !== of;
}
