/**
 * Handles the keys of the page. The region that offers the action of a key (places.ts), or Python, performs the action.
 *
 * The mode follows the focus; the stylesheet reads it from the document. Single keys are commands only after Escape
 * (key_mode.ts), and never while a text field or a menu has the focus. A letter that is no command turns them off and
 * goes to the composer, and so do letters in quick succession (bursts.ts): what the first of them opened is closed.
 *
 * A key or a control may open a field or a dialog: keys that are pressed before it exists go to it (early.ts). If a
 * control opens nothing, letters go to the composer, also to that of another conversation if the control leads there.
 */
import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import "../kit/keys/input_method.ts";
import { arriveAt, currentLink, leaving, onSent, useLink } from "../kit/connection/link.ts";
import { coming } from "../kit/containers/deferred.tsx";
import {
  callOff,
  closeUnwanted,
  dropUnwanted,
  giveBack,
  handOver,
  holdKey,
  holdKeys,
  isHolding,
  nextOpening,
  wantsKeys,
} from "../kit/keys/early.ts";
import { isText, keyMode } from "../kit/keys/key_mode.ts";
import { answerOf, goTo, offer } from "../kit/keys/places.ts";
import { type Burst, burstAt, makesText } from "./bursts.ts";
import { bindingOf, isPlain, type Mode, type Spot } from "./strokes.ts";
import type { KeyBinding, KeyboardProps, OwnKey } from "./views.ts";

const TYPES =
  "input, textarea, select, [contenteditable=true], [role=listbox], [role=menu], [role=tree], [role=combobox]";
const PRESSED = "button, a, summary, label, [role=button], [role=option]";
const COMPOSER = "#prompt";
const OWN_UNDO = "undo_own";
const TWICE_MS = 600;
const TYPING_MS = 1000;
const OWN_KEYS = "inview.keys"; // in the browser, so that they are right before Python sends them

let mode: Mode = "INPUT";
let typedAt = -TYPING_MS;
let escapedAt = -TWICE_MS;
let page = ""; // the path of the page that is shown
let burst: Burst = [];

export function Keyboard(props: KeyboardProps): null {
  const { own, known, answered } = props;
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (known) localStorage.setItem(OWN_KEYS, JSON.stringify(own));
  }, [known, own]);
  const link = useLink();
  const { pathname } = useLocation();
  useEffect(() => arriveAt(pathname), [pathname]);
  useEffect(() => takeFocus(pathname), [pathname]);
  useEffect(() => {
    // A field or dialog that opened has the focus by now, unless the browser still fetches its code or its page.
    const look = () => {
      const isThere = !coming.get() && !leaving.get();
      if (link === "lost" || (isHolding(answered) && isThere)) giveBack(write);
      if (isThere) dropUnwanted(answered);
    };
    // Parts that were loaded are drawn, and can be written in, by the end of this task.
    const lookSoon = () => queueMicrotask(look);
    lookSoon();
    const unwatch = [coming, leaving].map((each) => each.subscribe(lookSoon));
    return () => unwatch.forEach((stop) => void stop());
  }, [link, answered]);
  useEffect(() => listen(() => latest.current), []);
  return null;
}

/** Focus the new page if the element that had the focus was removed with the previous page. */
function takeFocus(path: string): void {
  const isAnother = page !== "" && page !== path;
  page = path;
  if (isAnother && document.activeElement === document.body) {
    document.getElementById("centre")?.focus({ preventScroll: true });
  }
}

/** Listen until the returned function is called. `now` returns the latest props from Python. */
function listen(now: () => KeyboardProps): () => void {
  const remembered: readonly OwnKey[] = JSON.parse(localStorage.getItem(OWN_KEYS) ?? "[]");
  const pressed = (event: KeyboardEvent) => {
    if (holdKey(event, write) || hasModal() || event.defaultPrevented) return;
    update();
    const { bindings, own, known, onPerform } = now();
    const found = bindingOf(event, spotOf(event.target), bindings, known ? own : remembered);
    const isOn = keyMode.get();
    if (found && perform(found, event.repeat, onPerform)) {
      event.preventDefault();
      if (isOn && !event.repeat && event.key.length === 1)
        burst = [...burst, { key: event.key, at: event.timeStamp, binding: found }];
    } else if (isOn && isText(event) && !takes(event.target)) writeFrom(event, false);
  };
  // This handler runs before those of a field or dialog that has opened meanwhile, and before keys are held for one.
  const continued = (event: KeyboardEvent) => {
    if (event.repeat || event.key === "Shift") return;
    burst = isPlain(event) ? burstAt(burst, event.timeStamp) : [];
    if (makesText(burst, event.key)) writeFrom(event, true);
    else if (event.key.length > 1) burst = [];
  };
  /** Write the burst and this key in the composer. `isSure`: even if the composer is covered. */
  const writeFrom = (event: KeyboardEvent, isSure: boolean) => {
    const typed = burst;
    if (!isSure && !goTo("composer")) return;
    burst = [];
    keyMode.set(false);
    for (const { binding } of typed.toReversed()) takeBack(binding, now().onPerform);
    const keys = typed.map(({ key }) => key);
    if (isSure) event.stopImmediatePropagation(); // the key is not for the dialog or field that was closed just now
    if (goTo("composer")) {
      if (keys.length) document.execCommand("insertText", false, keys.join("")); // the browser types this key there
      return;
    }
    for (const key of [...keys, event.key]) goTo("write", key);
    event.preventDefault();
  };
  // This handler runs before all others for Escape: the second of two presses stops the running reply.
  const escaped = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.repeat || !event.isTrusted || !isPlain(event)) return;
    if (hasModal()) return;
    const isTwice = event.timeStamp - escapedAt < TWICE_MS;
    escapedAt = event.timeStamp;
    if (isTwice && goTo("stop")) goTo("composer");
    else if (!holdKey(event, write)) return; // a held Escape is for the new dialog, not for the field with the focus
    event.preventDefault();
    event.stopPropagation();
  };
  const moved = () => queueMicrotask(update); // after a blur nothing has the focus for a moment
  const focused = ({ target, relatedTarget }: FocusEvent) => {
    if (target instanceof Element && target.matches(COMPOSER)) keyMode.set(false);
    moved();
    if (isHolding() && wantsKeys(target)) handOver();
    closeUnwanted(target, relatedTarget);
  };
  const sent = (event: string) => {
    if (!now().openers.includes(event)) return;
    const opening = nextOpening();
    holdKeys(opening, true);
    queueMicrotask(() => now().onAsk?.(opening)); // sent after this event
  };
  const pointed = () => {
    burst = [];
    giveBack(write);
  };
  const typed = () => {
    typedAt = performance.now();
  };
  // Not when the pointer is pressed: the bar would disappear, and the pressed element would move away from the pointer.
  const clicked = ({ target, detail }: MouseEvent) => {
    const isInBar = target instanceof Element && target.closest(".keys-bar") !== null;
    if (!isInBar && detail > 0) keyMode.set(false); // 0 means that a key pressed a button
  };
  const stop = new AbortController();
  const { signal } = stop;
  addEventListener("pointerdown", pointed, { capture: true, signal });
  addEventListener("click", clicked, { capture: true, signal });
  addEventListener("keydown", continued, { capture: true, signal });
  addEventListener("keydown", escaped, { capture: true, signal });
  addEventListener("keydown", pressed, { signal });
  addEventListener("input", typed, { capture: true, signal });
  addEventListener("focusin", focused, { signal });
  addEventListener("focusout", moved, { signal });
  const withdraw = offer({
    history: enterView,
    keys: toggleKeys,
    typing: () => (performance.now() - typedAt < TYPING_MS && !isEmptyComposer(document.activeElement) ? "now" : ""),
  });
  const unwatch = keyMode.subscribe(update);
  const unhear = onSent(sent);
  update();
  return () => {
    unhear();
    unwatch();
    withdraw();
    stop.abort();
  };
}

/** True for an empty composer: the text typed there last was sent or deleted. */
const isEmptyComposer = (box: Element | null): boolean =>
  box instanceof HTMLTextAreaElement && box.matches(COMPOSER) && box.value === "";

/** True for an empty composer without any typing, so that its own undo has nothing to undo. */
const isUntouchedComposer = (box: Element | null): boolean =>
  isEmptyComposer(box) && box instanceof HTMLElement && box.dataset.typed === undefined;

/**
 * Perform the action of a key. Returns true if the browser must ignore the key. A key that is held down only moves the
 * cursor.
 */
function perform(binding: KeyBinding, isHeld: boolean, tell: KeyboardProps["onPerform"]): boolean {
  const { action, place, pair, sends, opens, ends } = binding;
  const id = pair === "none" ? "" : answerOf("pair");
  if (pair === "must" && !id) return false;
  if (action === OWN_UNDO && !isUntouchedComposer(document.activeElement)) return false;
  if (isHeld && (sends || pair !== "none")) return true;
  if (ends) keyMode.set(false);
  const leads = opens || ends; // to a field or dialog, or to the composer of another conversation
  const opening = leads ? nextOpening() : 0;
  if (leads && currentLink() !== "lost") holdKeys(opening, ends);
  if (sends) tell?.(action, id, opening);
  if (place !== null) goTo(place, id);
  return true;
}

/** Close what a key opened: a dialog, a form or a section of the inspector. */
function takeBack({ action, opens, inspector }: KeyBinding, tell: KeyboardProps["onPerform"]): void {
  if (opens) callOff();
  if (inspector) tell?.(action, "", 0);
}

/** Focus the composer; an open dialog keeps the focus. */
function write(): void {
  if (!hasModal()) goTo("composer");
}

/** Leave the field that has the focus, and focus the current part of the transcript. */
function enterView(): void {
  goTo("transcript");
  const { activeElement } = document;
  if (modeOf(activeElement) !== "VIEW" && activeElement instanceof HTMLElement) activeElement.blur();
}

/**
 * Turn single keys on or off. In a composer with a draft, this only leaves the composer, and the next call turns them
 * on. Turning them off focuses the composer.
 */
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
  if (element?.closest(".composer-place, .toasts, .edit-form")) return "INPUT";
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

const takes = (target: EventTarget | null): boolean => target instanceof Element && target.closest(TYPES) !== null;

const hasModal = (): boolean => document.querySelector("dialog:modal") !== null;

function spotOf(target: EventTarget | null): Spot {
  const at = target instanceof Element ? target : document.body;
  const inspector = at.closest(".inspector");
  const writes = inspector ? at.matches(TYPES) : at.closest(TYPES) !== null;
  const isPage = (at === document.body || at.closest("main")) && !document.querySelector("main[inert]");
  const here = isPage ? "page" : inspector ? "inspector" : "";
  return { mode, keys: keyMode.get(), place: writes ? "" : here, presses: at.closest(PRESSED) !== null };
}
