/**
 * The number of the text in the composer: it changes with every change of the text, also after a reload.
 *
 * Data from Python about a text has its number. If the two differ, the data belongs to another text.
 */
import { signal } from "./signal.ts";

const PER_MS = 0.1;

const edition = signal(0);
let last = Math.trunc(Date.now() * PER_MS) % 2 ** 30;

/** The number of characters in the composer if they are too large to send, so that they are not counted. Else 0. */
export const oversize = signal(0);

export const currentEdition = edition.get;

/** The text in the composer has changed or will change: data about the previous text is outdated. */
export function renewEdition(): void {
  last += 1;
  edition.set(last);
}

/** There is no composer on the page, so nothing can be outdated. */
export function endEdition(): void {
  edition.set(0);
  oversize.set(0);
}

/** True if data about the text `of` belongs to another text than the one in the composer. */
export function useOutdated(of: number | undefined): boolean {
  const now = edition.use();
  return of !== undefined && now !== 0 && now !== of;
}
