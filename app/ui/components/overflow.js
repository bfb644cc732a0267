/**
 * What becomes of the view when a reply grows higher than the screen.
 *
 * If nobody typed for a second, its first part goes to the top and one reads on from there (VIEW); the view follows its
 * end no more, until somebody goes there. If somebody is typing, the focus stays, the view follows on, and the first
 * part is marked "new". Each reply is judged once. Whether this happens at all is a setting.
 */
import { pairOf, snapshot } from "./live.js";
import { currentMode, isTyping } from "./modes.js";
import { preference } from "./preferences.js";
import { currentPairId, go, subscribeCursor } from "./walk.js";

const judged = new Set();
let fresh = "";
const listeners = new Set();

export const freshPairId = () => fresh;
export function subscribeFresh(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The history has grown in `view` while it follows its end. Returns whether it stops following. */
export function stopsAtOverflow(view) {
  const { running, ended } = snapshot();
  const id = running || ended;
  const reply = `${id} ${pairOf(id)?.run_id}`; // a pair may be answered again
  if (!id || judged.has(reply)) return false;
  const part = view.querySelector(`[data-pair="${CSS.escape(id)}"] .reply [data-part]`);
  if (!part?.getClientRects().length || snapshot().pairs.at(-1)?.id !== id) return false; // hidden by an edit; or there is more below it
  const below = view.scrollHeight - view.scrollTop - (part.getBoundingClientRect().top - view.getBoundingClientRect().top);
  if (below <= view.clientHeight) return false;
  judged.add(reply);
  if (isTyping() || isElsewhere()) {
    setFresh(id);
    return false;
  }
  if (!preference("auto_enter_view_on_overflow")) return false;
  go(id, 1, "top");
  return true;
}

/** Busy with something that must not lose the focus: the filter, the title, a dialog, a selection. */
const isElsewhere = () =>
  currentMode() === "COMMAND" || document.querySelector("dialog:modal") !== null || document.activeElement?.matches("input, select, .edit-form textarea") === true || !getSelection().isCollapsed;

function setFresh(id) {
  fresh = id;
  listeners.forEach((listener) => listener());
}

// Once one is there it is no longer new.
subscribeCursor(() => fresh && currentPairId() === fresh && setFresh(""));
