/**
 * Holds the keys that a person presses while a field or a dialog is about to open, and passes them to it once it is
 * open and has the focus.
 *
 * Each field or dialog that is about to open is an opening with a number. keyboard.tsx reports when an opening begins,
 * and when it has led to nothing.
 */
const TEXT_FIELD = "textarea, input[type=text], input[type=search], input:not([type])";
const COMPOSER = "#prompt";
const WRITTEN_IN = `:is(${TEXT_FIELD}):not(${COMPOSER})`;
const OPENED = `${WRITTEN_IN}, dialog:modal *`;
const CLOSED_BY_ESCAPE = "dialog:modal, .edit-form";
const HELD = /^(.|Enter|Escape|Tab|Backspace|Delete|Home|End|Arrow.+)$/su; // the browser handles all others
type Typed = Pick<KeyboardEvent, "key" | "keyCode" | "shiftKey">;
const ESCAPE: Typed = { key: "Escape", keyCode: 27, shiftKey: false };
const AS_TYPED = { bubbles: true, cancelable: true };

let last = Math.trunc(Date.now() / 10) % 2 ** 30; // the number of the last opening; numbers increase over reloads too
let awaited = 0; // keys are held for this opening, 0: none
let unwanted: number[] = []; // the openings whose fields or dialogs must be closed when they appear, oldest first
let returns = false; // true: letters are written in the composer if nothing opens
const early: KeyboardEvent[] = []; // the held keys

/** Return the number of a new opening. */
export function nextOpening(): number {
  last += 1;
  return last;
}

/** Hold keys for this opening. `byControl`: a control caused it, not a key, so letters are text and not commands. */
export function holdKeys(opening: number, byControl: boolean): void {
  awaited = opening;
  returns = byControl;
}

/** True if keys are held: for this opening or, without a number, for any opening. */
export const isHolding = (opening?: number): boolean => awaited !== 0 && (opening ?? awaited) === awaited;

/**
 * Hold the key of this event if keys are held now and this key can be held. Returns true if it is held. A second Escape
 * stops the holding (`write` as in `giveBack`). The field or dialog is then closed as soon as it appears.
 */
export function holdKey(event: KeyboardEvent, write: () => unknown): boolean {
  const { key, metaKey, ctrlKey, altKey } = event;
  if (!isHolding() || event.defaultPrevented || !HELD.test(key) || metaKey || ctrlKey !== altKey) return false; // AltGr is both
  event.preventDefault();
  if (key === "Escape" && early.some((other) => other.key === "Escape")) {
    unwanted.push(awaited);
    giveBack(write);
  } else early.push(event);
  return true;
}

/** True for an element inside a field or dialog that opened, which gets the held keys. */
export const wantsKeys = (target: EventTarget | null): boolean => target instanceof Element && target.matches(OPENED);

/** Pass the held keys to the element with the focus, as soon as the field has its caret. */
export function handOver(): void {
  unwanted = []; // openings are answered in their order
  const heard = take();
  // A dialog focuses its first control before the control that shall have the focus.
  queueMicrotask(() => {
    for (const event of heard) type(document.activeElement, event);
  });
}

/** Stop holding keys, because nothing opens. Held letters and Backspace go to the composer, which `write` focuses. */
export function giveBack(write: () => unknown): void {
  const isText = returns;
  const text = take().filter(({ key }) => key.length === 1 || key === "Backspace");
  if (!isText || !text.length) return;
  write();
  for (const event of text) type(document.activeElement, event);
}

/**
 * Close the dialog or form around `target`, which took the focus `from` an element, if it is unwanted. The composer
 * gets the focus back.
 */
export function closeUnwanted(target: EventTarget | null, from: EventTarget | null): void {
  if (awaited || !unwanted.length || !(target instanceof Element) || !target.closest(CLOSED_BY_ESCAPE)) return;
  unwanted.shift();
  queueMicrotask(() => {
    type(document.activeElement, ESCAPE);
    if (from instanceof HTMLElement && from.matches(COMPOSER)) from.focus({ preventScroll: true });
  });
}

/** Close the dialog or form that the last key opened, or that is about to open. Held keys are dropped. */
export function callOff(): void {
  const at = document.activeElement;
  if (awaited) {
    unwanted.push(awaited);
    take();
  } else if (at?.closest(CLOSED_BY_ESCAPE)) type(at, ESCAPE);
}

/** Record that all openings up to this number have ended, so that none of their fields or dialogs must be closed. */
export function dropUnwanted(opening: number): void {
  unwanted = unwanted.filter((each) => each > opening);
}

function take(): KeyboardEvent[] {
  awaited = 0;
  return early.splice(0);
}

/** Send an element a key pressed before it existed: a text field gets any key, a dialog only Escape. */
function type(at: Element | null, { key, keyCode, shiftKey }: Typed): void {
  const dialog = key === "Escape" ? at?.closest("dialog") : null;
  const text = key === "Enter" && shiftKey ? "\n" : key.length === 1 ? key : "";
  if (dialog) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
  if (dialog || !at?.matches(TEXT_FIELD)) return;
  if (text) document.execCommand("insertText", false, text);
  else if (key === "Backspace") document.execCommand("delete");
  else {
    const isFree = at.dispatchEvent(new KeyboardEvent("keydown", { ...AS_TYPED, key, keyCode, which: keyCode }));
    // A browser submits a form for a real Enter only, not for an event that a script made.
    if (isFree && key === "Enter" && at.matches("input")) (at as HTMLInputElement).form?.requestSubmit();
  }
}
