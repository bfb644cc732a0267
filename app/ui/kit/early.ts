/**
 * Keys that are pressed before what opens for them is there: they are held, and belong to it once it has the focus.
 *
 * keyboard.tsx says when something opens, and when nothing does.
 */
const TEXT_FIELD = "textarea, input[type=text], input[type=search], input:not([type])";
const WRITTEN_IN = `:is(${TEXT_FIELD}):not(#prompt)`;
const OPENED = `${WRITTEN_IN}, dialog:modal *`;
const CLOSED_BY_ESCAPE = "dialog:modal, .edit-form";
const HELD = /^(.|Enter|Escape|Tab|Backspace|Delete|Home|End|Arrow.+)$/su; // others are the browser's
type Typed = Pick<KeyboardEvent, "key" | "keyCode" | "shiftKey">;
const AS_TYPED = { bubbles: true, cancelable: true };

let last = Math.trunc(Date.now() / 10) % 2 ** 30; // numbers of what opens, counted on from page to page
let awaited = 0; // the one that has not opened yet, 0: there is none
let unwanted = 0; // the one that is closed once it has opened, 0: there is none
let returns = false; // whether letters are written in the composer where nothing opens
const early: KeyboardEvent[] = []; // pressed meanwhile

/** A number for what opens next. */
export function nextOpening(): number {
  last += 1;
  return last;
}

/** Hold keys until this has opened. `byControl`: not a key opens it, so letters are a text and no commands. */
export function holdKeys(opening: number, byControl: boolean): void {
  awaited = opening;
  unwanted = 0;
  returns = byControl;
}

/** Whether keys are held: for this, or for anything. */
export const isHolding = (opening?: number): boolean => awaited !== 0 && (opening ?? awaited) === awaited;

/** Hold a key, if it is one that is held. A second Escape ends the waiting (`write` as for `giveBack`); what opens is closed. */
export function holdKey(event: KeyboardEvent, write: () => unknown): boolean {
  const { key, metaKey, ctrlKey, altKey } = event;
  if (!isHolding() || event.defaultPrevented || !HELD.test(key) || metaKey || ctrlKey !== altKey) return false; // AltGr is both
  event.preventDefault();
  if (key === "Escape" && early.some((other) => other.key === "Escape")) {
    unwanted = awaited;
    giveBack(write);
  } else early.push(event);
  return true;
}

/** Whether this is a place where what opened wants the keys. */
export const wantsKeys = (target: EventTarget | null): boolean => target instanceof Element && target.matches(OPENED);

/** Let the element that has the focus have the keys, as soon as the field has its caret. */
export function handOver(): void {
  const heard = take();
  // A dialog focuses its first control before the one that it is for.
  queueMicrotask(() => {
    for (const event of heard) type(document.activeElement, event);
  });
}

/** Nothing opens. Letters, and what corrects them, go where one writes: `write` focuses that. */
export function giveBack(write: () => unknown): void {
  const isText = returns;
  const text = take().filter(({ key }) => key.length === 1 || key === "Backspace");
  if (!isText || !text.length) return;
  write();
  for (const event of text) type(document.activeElement, event);
}

/** Close what has opened and has the focus now, if a second Escape came before it. */
export function closeUnwanted(target: EventTarget | null): void {
  if (!unwanted || !(target instanceof Element) || !target.closest(CLOSED_BY_ESCAPE)) return;
  unwanted = 0;
  queueMicrotask(() => type(document.activeElement, { key: "Escape", keyCode: 27, shiftKey: false }));
}

/** What was to open up to this number is there, or does not open. */
export function dropUnwanted(opening: number): void {
  if (unwanted <= opening) unwanted = 0;
}

function take(): KeyboardEvent[] {
  awaited = 0;
  return early.splice(0);
}

/** Let an element hear a key that was pressed before it was there: a text field any, a dialog only Escape. */
function type(at: Element | null, { key, keyCode, shiftKey }: Typed): void {
  const dialog = key === "Escape" ? at?.closest("dialog") : null;
  const text = key === "Enter" && shiftKey ? "\n" : key.length === 1 ? key : "";
  if (dialog) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
  if (dialog || !at?.matches(TEXT_FIELD)) return;
  if (text) document.execCommand("insertText", false, text);
  else if (key === "Backspace") document.execCommand("delete");
  else at.dispatchEvent(new KeyboardEvent("keydown", { ...AS_TYPED, key, keyCode, which: keyCode }));
}
