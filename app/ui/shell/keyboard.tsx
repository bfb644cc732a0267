/**
 * Hears the keys of the page. What a key does is done by the region that offers it (places.ts), or by Python.
 *
 * The mode follows the focus; the stylesheet reads it from the document. Single keys are commands only after Escape
 * (key_mode.ts), and never while a text field or a menu has the focus. Keys pressed before the form or the dialog that the
 * last one opens is there go to it.
 */
import { useEffect, useRef } from "react";
import "../kit/conversion.ts";
import { keyMode } from "../kit/key_mode.ts";
import { currentLink, useLink } from "../kit/link.ts";
import { answerOf, goTo, offer } from "../kit/places.ts";
import { bindingOf, isPlain, type Mode, type Spot } from "./strokes.ts";
import type { KeyBinding, KeyboardProps, OwnKey } from "./views.ts";

const TYPES =
  "input, textarea, select, [contenteditable=true], [role=listbox], [role=menu], [role=tree], [role=combobox]";
const PRESSED = "button, a, summary, label, [role=button], [role=option]";
const COMPOSER = "#prompt";
const OPENED = ".edit-form textarea, dialog:modal *";
const TEXT_FIELD = "textarea, input[type=text], input[type=search], input:not([type])";
const TWICE_MS = 600;
const TYPING_MS = 1000;
const AS_TYPED = { bubbles: true, cancelable: true };
const OWN_KEYS = "inview.keys"; // in the browser, so that they are right before Python says them

let mode: Mode = "INPUT";
let typedAt = -TYPING_MS;
let escapedAt = -TWICE_MS;
let strokes = Math.trunc(Date.now() / 10) % 2 ** 30; // keys that open something, counted on from page to page
let awaited = 0; // the one that has opened nothing yet, 0: there is none
const early: KeyboardEvent[] = []; // pressed meanwhile

export function Keyboard(props: KeyboardProps): null {
  const { own, known, answer } = props;
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (known) localStorage.setItem(OWN_KEYS, JSON.stringify(own));
  }, [known, own]);
  const link = useLink();
  useEffect(() => {
    const opensNothing = !answer.opened || document.querySelector("dialog:not([open])") !== null; // closed meanwhile
    if (link === "lost" || (answer.stroke === awaited && opensNothing)) takeEarly();
  }, [link, answer]);
  useEffect(() => listen(() => latest.current), []);
  return null;
}

/** Listen until the function that is returned is called. `now` is what Python says at that moment. */
function listen(now: () => KeyboardProps): () => void {
  const remembered: readonly OwnKey[] = JSON.parse(localStorage.getItem(OWN_KEYS) ?? "[]");
  const pressed = (event: KeyboardEvent) => {
    if (hasModal()) return;
    if (awaited) {
      const isGivenUp = event.key === "Escape" && early.some(({ key }) => key === "Escape");
      if (isGivenUp) takeEarly();
      else if (isPlain(event)) early.push(event);
      event.preventDefault();
      return;
    }
    if (event.defaultPrevented) return;
    update();
    const { bindings, own, known, onPerform } = now();
    const found = bindingOf(event, spotOf(event.target), bindings, known ? own : remembered);
    if (found && perform(found, event.repeat, onPerform)) event.preventDefault();
  };
  // Comes before any other meaning of Escape: the second of two stops the reply that runs.
  const escaped = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.repeat || !event.isTrusted || !isPlain(event)) return;
    if (hasModal()) return;
    const isTwice = event.timeStamp - escapedAt < TWICE_MS;
    escapedAt = event.timeStamp;
    if (!isTwice || !goTo("stop")) return;
    event.preventDefault();
    event.stopPropagation();
    goTo("composer");
  };
  const moved = () => queueMicrotask(update); // after a blur nothing has the focus for a moment
  const focused = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.matches(COMPOSER)) keyMode.set(false);
    moved();
    if (!awaited || !(target instanceof Element) || !target.matches(OPENED)) return;
    const heard = takeEarly();
    // Once the field has its caret. A dialog focuses its first control before the one that it is for.
    queueMicrotask(() => {
      for (const event of heard) type(document.activeElement, event);
    });
  };
  const typed = () => {
    typedAt = performance.now();
  };
  // Not when the pointer is pressed: the bar would go, and what is pressed would move away from under the pointer.
  const clicked = ({ target, detail }: MouseEvent) => {
    takeEarly();
    const isInBar = target instanceof Element && target.closest(".keys-bar") !== null;
    if (!isInBar && detail > 0) keyMode.set(false); // 0: a key pressed a button
  };
  const stop = new AbortController();
  const { signal } = stop;
  addEventListener("click", clicked, { capture: true, signal });
  addEventListener("keydown", escaped, { capture: true, signal });
  addEventListener("keydown", pressed, { signal });
  addEventListener("input", typed, { capture: true, signal });
  addEventListener("focusin", focused, { signal });
  addEventListener("focusout", moved, { signal });
  const withdraw = offer({
    history: enterView,
    keys: toggleKeys,
    typing: () => (performance.now() - typedAt < TYPING_MS ? "now" : ""),
  });
  const unwatch = keyMode.subscribe(update);
  update();
  return () => {
    unwatch();
    withdraw();
    stop.abort();
  };
}

/** Do what a key calls. Returns whether the key is used up. A key that is held down only walks. */
function perform(binding: KeyBinding, isHeld: boolean, tell: KeyboardProps["onPerform"]): boolean {
  const { action, place, pair, sends, opens, ends } = binding;
  const id = pair === "none" ? "" : answerOf("pair");
  if (pair === "must" && !id) return false;
  if (isHeld && (sends || pair !== "none")) return true;
  if (ends) keyMode.set(false);
  if (opens) strokes += 1;
  if (opens && currentLink() === "open") awaited = strokes;
  if (sends) tell?.(action, id, opens ? strokes : 0);
  if (place !== null) goTo(place, id);
  return true;
}

/** Wait no more for what the last key opens. Returns the keys that were pressed meanwhile. */
function takeEarly(): KeyboardEvent[] {
  awaited = 0;
  return early.splice(0);
}

/** Leave the field that has the focus, for the place in the history where one was. */
function enterView(): void {
  goTo("transcript");
  const { activeElement } = document;
  if (modeOf(activeElement) !== "VIEW" && activeElement instanceof HTMLElement) activeElement.blur();
}

/** Escape turns single keys on, from a draft only once the composer has been left; off, it leads back to the composer. */
function toggleKeys(): void {
  if (keyMode.get()) {
    goTo("composer");
    return;
  }
  if (!document.activeElement?.matches(COMPOSER) || !answerOf("draft")) keyMode.set(true);
  enterView();
}

function modeOf(element: Element | null): Mode {
  if (element?.closest("dialog")) return mode; // it gives the focus back when it closes
  if (element?.closest(".keys-bar")) return "VIEW";
  if (element?.closest(".composer-place, .edit-form")) return "INPUT";
  return element?.closest(".filter-bar") ? "COMMAND" : "VIEW";
}

function update(): void {
  const { documentElement: root, activeElement } = document;
  mode = modeOf(activeElement);
  root.dataset.mode = mode;
  const rests = mode !== "VIEW" || spotOf(activeElement).place === "";
  if (keyMode.get()) root.dataset.keys = rests ? "paused" : "on";
  else delete root.dataset.keys;
}

const hasModal = (): boolean => document.querySelector("dialog:modal") !== null;

function spotOf(target: EventTarget | null): Spot {
  const at = target instanceof Element ? target : document.body;
  const inspector = at.closest(".inspector");
  const writes = inspector ? at.matches(TYPES) : at.closest(TYPES) !== null;
  const here = at === document.body || at.closest("main") ? "page" : inspector ? "beside" : "";
  return { mode, keys: keyMode.get(), place: writes ? "" : here, presses: at.closest(PRESSED) !== null };
}

/** Let what was opened hear a key that was pressed before it was there: a text field any, a dialog only Escape. */
function type(at: Element | null, { key, keyCode, shiftKey }: KeyboardEvent): void {
  const dialog = key === "Escape" ? at?.closest("dialog") : null;
  const text = key === "Enter" && shiftKey ? "\n" : key.length === 1 ? key : "";
  if (dialog) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
  if (dialog || !at?.matches(TEXT_FIELD)) return;
  if (text) document.execCommand("insertText", false, text);
  else at.dispatchEvent(new KeyboardEvent("keydown", { ...AS_TYPED, key, keyCode, which: keyCode }));
}
