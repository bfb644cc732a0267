/**
 * A reply grows higher than the window: from then on the person reads it from its beginning.
 *
 * If the person typed nothing for a second, its first part gets the focus. Where its request is at the top of the window,
 * nothing moves; another reply goes there with its first part. If the person is typing, the focus stays and the first part
 * is marked as new. Each reply is judged once. A preference turns this off: then the view follows the end.
 */
import { answerOf } from "../kit/places.ts";
import { signal } from "../kit/signal.ts";
import { heldNow, pairOf } from "./held.ts";
import { hasMoreBelow, leaveTop, type Reading, topOf } from "./reading.ts";
import { cursorAt, go, stayAt } from "./walk.ts";

const ELSEWHERE = "input, select, .edit-form textarea, .filter-bar *";
const judged = new Set<string>();
let sent = ""; // the pair that was sent last: its reply may have ended before the page followed it
/** The pair whose reply grew out of sight while the person typed, "" for none. */
export const fresh = signal("");

/** Once one is there it is no longer new. Returns how to stop looking. */
export const watchCursor = (): (() => void) =>
  cursorAt.subscribe(() => {
    if (cursorAt.get().pair === fresh.get()) fresh.set("");
  });

/** This pair was sent from this tab. */
export const noteOwn = (id: string): void => {
  sent = id;
};

/** The transcript has grown in `view` while it follows its end. Returns whether it stops following. */
export function stopsAtOverflow(view: HTMLElement, reading: Reading): boolean {
  const held = heldNow();
  const id = held?.running || held?.ended || sent;
  if (!held || !id || held.pairs.at(-1)?.id !== id) return false; // or there is more below it
  const isAtTop = reading.top === id;
  if (isAtTop && !held.entersView && hasMoreBelow(view, reading)) leaveTop(view, reading);
  const reply = `${id} ${pairOf(id)?.run_id}`; // a pair may be answered again
  if (judged.has(reply)) return false;
  const part = view.querySelector<HTMLElement>(`[data-pair="${CSS.escape(id)}"] .reply [data-part]`);
  if (!part?.getClientRects().length) return false; // none yet, or hidden by an edit
  const all = part.closest(".reply") ?? part;
  const first = (isAtTop && topOf(view, id)) || all;
  if (all.getBoundingClientRect().bottom - first.getBoundingClientRect().top <= view.clientHeight) return false;
  judged.add(reply);
  if (!held.entersView) return false;
  const isBusy = answerOf("typing") !== "" || isElsewhere();
  if (isBusy) fresh.set(id);
  if (isAtTop) {
    leaveTop(view, reading);
    stayAt(isBusy ? "" : id, 1);
    return true;
  }
  if (!isBusy) go(id, 1, "top");
  return !isBusy;
}

/** Busy with something that must not lose the focus: the filter, the title, a dialog, a selection. */
const isElsewhere = (): boolean =>
  document.querySelector("dialog:modal") !== null ||
  document.activeElement?.matches(ELSEWHERE) === true ||
  getSelection()?.isCollapsed === false;
