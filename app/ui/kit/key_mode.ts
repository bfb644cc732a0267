/**
 * Whether single keys are commands. Only Escape turns that on; `keyboard.tsx` shows it in the document.
 *
 * While it is off, a letter that is typed outside a text field goes to the composer.
 */
import { isHolding } from "./early.ts";
import { signal } from "./signal.ts";

export const keyMode = signal(false);

const TAKES_TEXT =
  "textarea, select, [contenteditable=true], input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=button])";

/** Give letters to the composer: `write` focuses it, and the browser then types the letter there. Returns how to stop. */
export function catchLetters(write: () => unknown): () => void {
  const pressed = (event: KeyboardEvent) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (keyMode.get() || isHolding() || !isText(event)) return;
    if (at.closest(TAKES_TEXT) || document.querySelector("dialog:modal")) return;
    write();
  };
  addEventListener("keydown", pressed, { capture: true });
  return () => removeEventListener("keydown", pressed, { capture: true });
}

/** A character, also one of an input method, a dead key or AltGr. Space scrolls. */
const isText = (by: KeyboardEvent) => /^(\S|Process|Dead)$/u.test(by.key) && !by.metaKey && by.ctrlKey === by.altKey;
