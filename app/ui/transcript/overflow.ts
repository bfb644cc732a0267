/**
 * When a reply becomes higher than the window, the view stops following its end, so that it can be read from its start.
 *
 * If the person typed nothing for a second, the first part of the reply gets the focus. If the request is at the top of
 * the window, the view does not move; otherwise the first part of the reply moves to the top. If the person is typing,
 * the focus stays and the first part of the reply is marked as new. This happens once for each reply. A preference
 * turns it off: the view then follows the end.
 */
import { answerOf } from "../kit/keys/places.ts";
import { signal } from "../kit/signal.ts";
import { heldNow, pairOf } from "./held.ts";
import { hasMoreBelow, leaveTop, type Reading, topOf } from "./reading.ts";
import { cursorAt, go, stayAt } from "./walk.ts";

const ELSEWHERE = "input, select, .edit-form textarea, .filter-bar *";
const judged = new Set<string>();
let sent = ""; // the pair that was sent last: its reply may have ended before the page received the pair
/** The pair whose reply became taller than the window while the person typed, "" for none. */
export const fresh = signal("");

/** Remove the mark once the cursor is at the pair. Returns a function that stops this. */
export const watchCursor = (): (() => void) =>
  cursorAt.subscribe(() => {
    if (cursorAt.get().pair === fresh.get()) fresh.set("");
  });

/** Record that this pair was sent from this tab. */
export const noteOwn = (id: string): void => {
  sent = id;
};

/** Called when the transcript grew while `view` follows its end. Returns true if the view must stop following. */
export function stopsAtOverflow(view: HTMLElement, reading: Reading): boolean {
  const held = heldNow();
  const id = held?.running || held?.ended || sent;
  if (!held || !id || held.pairs.at(-1)?.id !== id) return false; // there is no such reply, or a pair is below it
  const isAtTop = reading.top === id;
  if (isAtTop && !held.entersView && hasMoreBelow(view, reading)) leaveTop(view, reading);
  const reply = `${id} ${pairOf(id)?.run_id}`; // a pair may have several replies
  if (judged.has(reply)) return false;
  const part = view.querySelector<HTMLElement>(`[data-pair="${CSS.escape(id)}"] .reply [data-part]`);
  if (!part?.getClientRects().length) return false; // there is no part yet, or an edit hides it
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

/** True if the focus must stay in another part of the page: the filter, the title, a dialog, a selection. */
const isElsewhere = (): boolean =>
  document.querySelector("dialog:modal") !== null ||
  document.activeElement?.matches(ELSEWHERE) === true ||
  getSelection()?.isCollapsed === false;
