/**
 * The three modes: INPUT (the composer, or a pair that is edited), COMMAND (the filter bar), VIEW (all the rest, above all the history).
 *
 * Nothing is kept here that could go wrong: the mode is where the focus is. Enter and Esc move it, and so does a click.
 * Keys of single characters act in VIEW only, and never while a text field, a menu or a dialog has the focus; a button
 * or link keeps its own Space and Enter.
 */
import { goTo, offer } from "$/islands/kit/places.ts";
import { actionOf, keyIn } from "./keys.js";

const TYPES = "input, textarea, select, [contenteditable=true], [role=listbox], [role=menu], [role=tree], [role=combobox]";
const PRESSED = "button, a, summary, label, [role=button], [role=option]";
const TYPING_MS = 1000;
const TWICE_MS = 600;

let mode = "INPUT";
let typedAt = -TYPING_MS;
let escapedAt = -TWICE_MS;
let toHistory = () => {};
const listeners = new Set();

export const currentMode = () => mode;
export function subscribeMode(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether somebody typed within the last second. */
export const isTyping = () => performance.now() - typedAt < TYPING_MS;

/** To the history: where one was in it, if it is there. */
export function enterView() {
  toHistory();
  if (modeOf(document.activeElement) !== "VIEW") document.activeElement.blur();
}

/** To the filter bar; where there is none, nowhere. */
export const enterCommand = () => goTo("filter");

/** Stop the reply that runs. False: none runs. */
const stopReply = () => goTo("stop");

/** To the composer. */
export const enterInput = () => goTo("composer");

/**
 * Hear the keys of the page. `perform` takes the action a key calls, `focusHistory` is how VIEW is entered, and
 * `hearWhileOpening` takes the keys that come before a dialog is there.
 */
export function listen(perform, focusHistory, hearWhileOpening) {
  toHistory = focusHistory;
  const pressed = (event) => {
    if (document.querySelector("dialog:modal")) return;
    if (hearWhileOpening(event)) event.preventDefault();
    else hear(event, perform);
  };
  // Before whatever else an Escape means where one is: the second of two stops the reply that runs.
  const escaped = (event) => {
    if (event.key !== "Escape" || event.repeat || !event.isTrusted || event.isComposing || !isPlain(event) || document.querySelector("dialog:modal")) return;
    const twice = event.timeStamp - escapedAt < TWICE_MS;
    escapedAt = event.timeStamp;
    if (!twice || !stopReply()) return;
    event.preventDefault();
    event.stopPropagation();
    enterView();
  };
  const typed = () => (typedAt = performance.now());
  const moved = () => queueMicrotask(update); // after a blur the focus is nowhere for a moment
  addEventListener("keydown", escaped, true);
  addEventListener("keydown", pressed);
  addEventListener("input", typed, true);
  addEventListener("focusin", moved);
  addEventListener("focusout", moved);
  const withdraw = offer("history", enterView);
  update();
  return () => {
    withdraw();
    removeEventListener("keydown", escaped, true);
    removeEventListener("keydown", pressed);
    removeEventListener("input", typed, true);
    removeEventListener("focusin", moved);
    removeEventListener("focusout", moved);
  };
}

function modeOf(element) {
  if (element?.closest("dialog")) return mode; // it will close, and then one is where one was
  if (element?.closest(".composer-place, .edit-form")) return "INPUT";
  return element?.closest(".filter-bar") ? "COMMAND" : "VIEW";
}

function update() {
  const next = modeOf(document.activeElement);
  if (next === mode) return;
  mode = next;
  document.documentElement.dataset.mode = mode;
  listeners.forEach((listener) => listener());
}

function hear(event, perform) {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
  update();
  if (KEYS[mode](event, event.target, perform) || (isPlain(event) && event.key === "F1" && perform("help"))) event.preventDefault();
}

// Each says whether the key was its own.
const KEYS = {
  INPUT: (event) => isPlain(event) && event.key === "Escape" && done(enterView),
  COMMAND: (event) => isPlain(event) && event.key === "Escape" && done(enterView),
  VIEW(event, target, perform) {
    if (target.closest(TYPES) || !(target === document.body || target.closest("main"))) return false;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z") return perform("undo");
    if (!isPlain(event)) return false;
    if (event.key === "Escape") return done(enterCommand);
    const key = keyIn(event);
    if ((key === "Enter" || key === "Space") && target.closest(PRESSED)) return false;
    if (key === "Enter") return done(enterInput);
    const action = actionOf(key);
    return Boolean(action) && perform(action.id, event.repeat);
  },
};

const isPlain = ({ ctrlKey, metaKey, altKey }) => !ctrlKey && !metaKey && !altKey;

function done(go) {
  go();
  return true;
}
