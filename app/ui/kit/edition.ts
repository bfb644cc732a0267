/**
 * The number of the text that stands in the composer: another one after every change, also after a reload.
 *
 * What Python says of a text has its number. While the two differ, it belongs to another text.
 */
import { signal } from "./signal.ts";

const PER_MS = 0.1;

const edition = signal(0);
let last = Math.trunc(Date.now() * PER_MS) % 2 ** 30;

/** The characters of the text in the composer if it is too large to send: nothing is counted of it. Else 0. */
export const oversize = signal(0);

export const currentEdition = edition.get;

/** The text in the composer is another one, or will be: what was said of it until now is outdated. */
export function renewEdition(): void {
  last += 1;
  edition.set(last);
}

/** There is no composer on the page, so nothing can be outdated. */
export function endEdition(): void {
  edition.set(0);
  oversize.set(0);
}

/** Whether something that was said of the text `of` belongs to another text than the one in the composer. */
export function useOutdated(of: number | undefined): boolean {
  const now = edition.use();
  return of !== undefined && now !== 0 && now !== of;
}
