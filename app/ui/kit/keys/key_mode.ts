/**
 * The key mode: while it is on, single keys are commands. Only Escape turns it on; `keyboard.tsx` shows it in the
 * document.
 *
 * While it is off, a letter that is typed outside a text field goes to the composer, even if the inspector covers it on
 * a small screen. A dialog that opens meanwhile focuses none of its buttons: the next space would press it.
 */

import { signal } from "../signal.ts";
import { isHolding } from "./early.ts";

export const keyMode = signal(false);

const ENDS_TEXT = /^(Enter|Escape|Tab)$/u;
const TAKES_TEXT =
  "textarea, select, [contenteditable=true], input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=button])";

const COVERS = "#inspector";

let writes = false; // true while a person is in the middle of a text

/** True if a letter was typed since a pointer, Enter, Escape or Tab was pressed. */
export const isWriting = (): boolean => writes;

/** True for an element in a field that takes letters. */
export const takesText = (at: Element | null): boolean => at?.closest(TAKES_TEXT) != null;

/** True for a key that continues a text that is being written. */
export const goesOn = ({ key }: Pick<KeyboardEvent, "key">): boolean =>
  writes && (key.length === 1 || key === "Backspace");

/**
 * Send letters to the composer: `focus` focuses it, and the browser then types the letter there. If it is covered and
 * cannot have the focus, `type` writes the key. Returns a function that stops this.
 */
export function catchLetters(focus: () => boolean, type: (key: string) => unknown): () => void {
  const pressed = (event: KeyboardEvent) => {
    const at = event.target instanceof Element ? event.target : document.body;
    if (ENDS_TEXT.test(event.key)) writes = false;
    else if (!keyMode.get() && isText(event)) writes = true;
    if (keyMode.get() || isHolding() || isShortcut(event)) return;
    if (takesText(at) || document.querySelector("dialog:modal")) return;
    if ((isText(event) && focus()) || !at.closest(COVERS) || !goesOn(event)) return;
    at.closest<HTMLElement>(COVERS)?.focus(); // otherwise the next space presses a button there
    type(event.key);
    event.preventDefault();
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

/** True for a character, also of an input method, a dead key or AltGr. Space is excluded, because it scrolls. */
export const isText = (by: KeyboardEvent): boolean => /^(\S|Process|Dead)$/u.test(by.key) && !isShortcut(by);
const isShortcut = (by: KeyboardEvent) => by.metaKey || by.ctrlKey !== by.altKey;
