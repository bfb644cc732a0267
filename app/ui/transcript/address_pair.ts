/** Shows the pair that the address names, as in /c/ID?at=12, and the first searched word in it. */
import { goTo, leaveTop, type Reading, rowOf } from "./reading.ts";

const LEAD = 0.25; // share of the window above a searched word that was out of sight

/** Return the position of the pair that the query of an address names, 0 if it names none. */
export const positionIn = (query: string): number => Number(new URLSearchParams(query).get("at")) || 0;

/** Scroll to the start of a pair. Returns false if its row is not in the document. */
export function showStart(view: HTMLElement, reading: Reading, id: string): boolean {
  const row = rowOf(view, id);
  if (!row) return false;
  leaveTop(view, reading);
  reading.follows = false;
  goTo(view, reading, view.scrollTop + row.getBoundingClientRect().top - view.getBoundingClientRect().top);
  return true;
}

/** Scroll to the first of these places that is in the pair, unless it is in sight. Returns false if there is none yet. */
export function showWord(view: HTMLElement, reading: Reading, id: string, places: readonly StaticRange[]): boolean {
  const row = rowOf(view, id);
  const place = places.find(({ startContainer }) => row?.contains(startContainer));
  if (!place || place.startContainer.parentElement?.closest("[hidden]")) return false; // its text is still folded
  const word = document.createRange();
  word.setStart(place.startContainer, place.startOffset);
  word.setEnd(place.endContainer, place.endOffset);
  const [found, seen] = [word.getBoundingClientRect(), view.getBoundingClientRect()];
  if (found.top < seen.top || found.bottom > seen.bottom) {
    goTo(view, reading, view.scrollTop + found.top - seen.top - view.clientHeight * LEAD);
  }
  return true;
}
