/**
 * The keys of the page. What they call is done by the region that offers it (places.ts), or told to Python.
 *
 * The mode is where the focus is: INPUT (the composer, or a pair that is edited), COMMAND (the filter bar), VIEW (all the
 * rest). Keys of single characters act in VIEW only, and never while a text field or a menu has the focus; a button or
 * link keeps its own Space and Enter. Keys that come before what the last one opens go to that form or menu, or nowhere.
 */
import { useEffect, useRef } from "react";
import { answerOf, goTo, offer } from "$/islands/kit/places.ts";
import { signal } from "$/islands/kit/signal.ts";
import { keyIn } from "$/islands/kit/pressed_key.ts";

const TYPES =
  "input, textarea, select, [contenteditable=true], [role=listbox], [role=menu], [role=tree], [role=combobox]";
const PRESSED = "button, a, summary, label, [role=button], [role=option]";
const FORM = ".edit-form textarea, .again-menu input";
const TWICE_MS = 600;
const TYPING_MS = 1000;
const KEPT = "inview.keys"; // in the browser, so that keys are right from the first moment on

const mode = signal("INPUT");
let typedAt = -TYPING_MS;
let escapedAt = -TWICE_MS;
let awaited = 0; // until when something that a key opens is waited for
let early = []; // pressed meanwhile

/** Which mode one is in; `label` has MODE where its name belongs. */
export function ModeBadge({ label, title, onPress }) {
  const shown = mode.use();
  return (
    <button
      type="button"
      className="mode"
      data-mode={shown}
      aria-label={label.replace("MODE", shown)}
      title={title}
      onClick={() => onPress?.()}
    >
      {shown}
    </button>
  );
}

export function Keyboard(props) {
  const { own, known, hasDialog, toast } = props;
  const now = useRef(props);
  now.current = props;
  useEffect(() => {
    if (known) localStorage.setItem(KEPT, JSON.stringify(own));
  }, [known, own]);
  useEffect(() => {
    awaited = 0;
  }, [hasDialog, toast]);
  useEffect(() => {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");

    const perform = ({ action, place, pair, sends, holds_ms }, again) => {
      const id = pair === "none" ? "" : answerOf("pair");
      if (pair === "must" && !id) return false;
      if (again && (sends || pair !== "none")) return true; // it is held down, which only walking cares for
      if (sends) now.current.onPerform?.(action, id);
      const isDone = place !== null && goTo(place, id);
      if (!holds_ms || isDone) return true;
      awaited = performance.now() + holds_ms;
      early = [];
      return true;
    };
    const isHeld = (event) => {
      if (document.activeElement?.matches(FORM)) awaited = 0;
      if (performance.now() >= awaited) return false;
      if (isPlain(event)) early.push(event);
      return true;
    };
    const pressed = (event) => {
      if (document.querySelector("dialog:modal")) return;
      if (isHeld(event)) return event.preventDefault();
      if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
      update();
      const { bindings, own, known } = now.current;
      const found = bindingOf(event, spotOf(event.target), bindings, known ? own : kept);
      if (found && perform(found, event.repeat)) event.preventDefault();
    };
    // Before whatever else an Escape means where one is: the second of two stops the reply that runs.
    const escaped = (event) => {
      if (event.key !== "Escape" || event.repeat || event.isComposing || !event.isTrusted || !isPlain(event)) return;
      if (document.querySelector("dialog:modal")) return;
      const isTwice = event.timeStamp - escapedAt < TWICE_MS;
      escapedAt = event.timeStamp;
      if (!isTwice || !goTo("stop")) return;
      event.preventDefault();
      event.stopPropagation();
      enterView();
    };
    /** Let the form of an edit and the menu of models hear the keys that were pressed before it was there, once it has the focus and its caret. */
    const focused = ({ target }) => {
      moved();
      if (!(target instanceof Element) || !target.matches(FORM)) return;
      const heard = performance.now() < awaited ? early : [];
      awaited = 0;
      queueMicrotask(() => {
        for (const event of heard.splice(0)) type(target, event);
      });
    };
    const moved = () => queueMicrotask(update); // after a blur the focus is nowhere for a moment
    const typed = () => {
      typedAt = performance.now();
    };
    const stop = new AbortController();
    const { signal } = stop;
    addEventListener("keydown", escaped, { capture: true, signal });
    addEventListener("keydown", pressed, { signal });
    addEventListener("input", typed, { capture: true, signal });
    addEventListener("focusin", focused, { signal });
    addEventListener("focusout", moved, { signal });
    const withdraw = offer({
      history: enterView,
      typing: () => (performance.now() - typedAt < TYPING_MS ? "now" : ""),
    });
    update();
    return () => {
      withdraw();
      stop.abort();
    };
  }, []);
  return null;
}

/** To the history: where one was in it, if it is there. */
function enterView() {
  goTo("transcript");
  const { activeElement } = document;
  if (modeOf(activeElement) !== "VIEW" && activeElement instanceof HTMLElement) activeElement.blur();
}

function modeOf(element) {
  if (element?.closest("dialog")) return mode.get(); // it will close, and then one is where one was
  if (element?.closest(".composer-place, .edit-form")) return "INPUT";
  return element?.closest(".filter-bar") ? "COMMAND" : "VIEW";
}

function update() {
  mode.set(modeOf(document.activeElement));
  document.documentElement.dataset.mode = mode.get();
}

function spotOf(target) {
  const writes = target.closest(".inspector") ? target.matches(TYPES) : target.closest(TYPES);
  const here = target === document.body || target.closest("main") ? "page" : target.closest(".inspector") && "beside";
  return { mode: mode.get(), place: (!writes && here) || "", presses: target.closest(PRESSED) !== null };
}

function type(area, { key, keyCode, shiftKey }) {
  const text = key === "Enter" && shiftKey ? "\n" : key.length === 1 ? key : "";
  if (text) document.execCommand("insertText", false, text);
  else if (key === "Escape" && area.closest("dialog")) area.closest("dialog").dispatchEvent(new Event("cancel", { cancelable: true }));
  else
    area.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode, which: keyCode, bubbles: true, cancelable: true }));
}

const isPlain = ({ ctrlKey, metaKey, altKey }) => !ctrlKey && !metaKey && !altKey;

/** What a key calls, by the table, the mode and what has the focus. */
function bindingOf(event, { mode, place, presses }, bindings, own) {
  const key = strokeOf(event);
  if (!key || (presses && (key === "Enter" || key === "Space"))) return undefined;
  const isHere = (each) =>
    each.mode === "anywhere" ||
    (each.mode === mode && (mode !== "VIEW" || place === "page" || (place === "beside" && each.beside)));
  const keyOf = (each) =>
    (each.fixed ? undefined : own.find(({ action }) => action === each.action)?.key) ?? each.key;
  return bindings.find((each) => isHere(each) && keyOf(each) === key);
}

/** A key as the table writes it, "" for what belongs to the browser. */
function strokeOf(event) {
  if (isPlain(event)) return event.key === "Escape" ? "Esc" : keyIn(event);
  return event.altKey || event.shiftKey ? "" : `Ctrl+${event.key.toUpperCase()}`;
}
