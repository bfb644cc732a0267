/**
 * What becomes of the view when a reply grows higher than the screen.
 *
 * If the person typed nothing for a second, its first part goes to the top and gets the focus, and the view follows its
 * end no more. If the person is typing, the focus stays, the view follows on, and the first part is marked as new. Each
 * reply is judged once. A preference turns this off.
 */
import { answerOf } from "../kit/places.ts";
import { signal } from "../kit/signal.ts";
import { heldNow, pairOf } from "./held.ts";
import { cursorAt, go } from "./walk.ts";

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
export const noteSent = (id: string): void => {
  sent = id;
};

/** The transcript has grown in `view` while it follows its end. Returns whether it stops following. */
export function stopsAtOverflow(view: HTMLElement): boolean {
  const held = heldNow();
  const id = held?.running || held?.ended || sent;
  if (!held || !id || held.pairs.at(-1)?.id !== id) return false; // or there is more below it
  const reply = `${id} ${pairOf(id)?.run_id}`; // a pair may be answered again
  if (judged.has(reply)) return false;
  const part = view.querySelector(`[data-pair="${CSS.escape(id)}"] .reply [data-part]`);
  if (!part?.getClientRects().length) return false; // none yet, or hidden by an edit
  if ((part.closest(".reply")?.clientHeight ?? 0) <= view.clientHeight) return false;
  judged.add(reply);
  if (answerOf("typing") || isElsewhere()) {
    fresh.set(id);
    return false;
  }
  if (!held.entersView) return false;
  go(id, 1, "top");
  return true;
}

/** Busy with something that must not lose the focus: the filter, the title, a dialog, a selection. */
const isElsewhere = (): boolean =>
  document.querySelector("dialog:modal") !== null ||
  document.activeElement?.matches(ELSEWHERE) === true ||
  getSelection()?.isCollapsed === false;
