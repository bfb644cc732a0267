/**
 * Whether single keys are commands. Only Escape turns that on; `keyboard.tsx` shows it in the document.
 *
 * While it is off, a letter that is typed outside a text field goes to the composer. A dialog that opens meanwhile gives
 * none of its buttons the focus: the next space would press it.
 */
import { isHolding } from "./early.ts";
import { signal } from "./signal.ts";

export const keyMode = signal(false);

const ENDS_TEXT = /^(Enter|Escape|Tab)$/u;
const TAKES_TEXT =
  "textarea, select, [contenteditable=true], input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=button])";

let writes = false; // whether a person is in the middle of a text

/** Whether a letter was typed since a pointer, Enter, Escape or Tab was pressed. */
export const isWriting = (): boolean => writes;

/** Give letters to the composer: `write` focuses it, and the browser then types the letter there. Returns how to stop. */
export function catchLetters(write: () => unknown): () => void {
  const pressed = (event: KeyboardEvent) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (ENDS_TEXT.test(event.key)) writes = false;
    else if (!keyMode.get() && isText(event)) writes = true;
    if (keyMode.get() || isHolding() || !isText(event)) return;
    if (at.closest(TAKES_TEXT) || document.querySelector("dialog:modal")) return;
    write();
  };
  const pointed = () => {
    writes = false;
  };
  addEventListener("keydown", pressed, { capture: true });
  addEventListener("pointerdown", pointed, { capture: true });
  return () => {
    removeEventListener("keydown", pressed, { capture: true });
    removeEventListener("pointerdown", pointed, { capture: true });
  };
}

/** A character, also one of an input method, a dead key or AltGr. Space scrolls. */
const isText = (by: KeyboardEvent) => /^(\S|Process|Dead)$/u.test(by.key) && !by.metaKey && by.ctrlKey === by.altKey;
