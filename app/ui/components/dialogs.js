/**
 * Which of the page's dialogs is open, and for what. The dialogs themselves are fetched when the first one opens.
 *
 * Not their looks (model_menu.jsx). Most are Python by now, and only asked for here.
 */
import { leavePair } from "$/islands/transcript/walk.ts";

const PATIENCE_MS = 500;
const EDIT_PATIENCE_MS = 2000; // what is typed meanwhile is not lost
const FORM = ".edit-form textarea";

let open = null;
let openers = {}; // how to ask for the dialogs that are Python
let awaited = 0; // until when one of these is waited for
let early = []; // the keys pressed meanwhile
let origin = null;
const listeners = new Set();

/** {name, …what it is about}, null: none. */
export const openDialog = () => open;
export function subscribeDialog(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Close it, and give the focus back. */
export function closeDialog() {
  show(null);
  onceClosed(() => origin?.isConnected && origin.focus({ preventScroll: true }));
}

/** A key while a dialog is still being fetched: Escape calls it off, others wait for nobody. Says whether it was so. */
export function hearWhileOpening(event) {
  if (document.activeElement?.matches(FORM)) dialogCame();
  if (!open && performance.now() >= awaited) return false;
  if (!open && !event.ctrlKey && !event.metaKey && !event.altKey) early.push(event);
  if (open && event.key === "Escape") closeDialog();
  return true;
}

export const learnOpeners = (next) => void (openers = next);

/** Let the form of an edit hear the keys that were pressed before it was there, once it has the focus and its caret. */
export function hearEarly({ target }) {
  if (!target.matches(FORM)) return;
  const heard = performance.now() < awaited ? early : [];
  dialogCame();
  queueMicrotask(() => heard.splice(0).forEach((event) => press(target, event)));
}

function press(area, { key, keyCode, shiftKey }) {
  const text = key === "Enter" && shiftKey ? "\n" : key.length === 1 ? key : "";
  if (text) document.execCommand("insertText", false, text);
  else area.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode, which: keyCode, bubbles: true, cancelable: true }));
}

/** A dialog that is Python is there, or gone. */
export const dialogCame = () => void (awaited = 0);

/** Choose a topic for a pair. */
export const askTopic = (pair) => askFor(openers.topic, pair.id);

/** Edit a pair in its place. */
export const askEdit = (pair) => askFor(openers.edit, pair.id, EDIT_PATIENCE_MS);

/** All keys. */
export const showSheet = (at) => askFor(openers.sheet, at);

function askFor(opener, about, patience = PATIENCE_MS) {
  awaited = performance.now() + patience;
  early = [];
  opener?.(about);
}

/** Delete a pair, after asking where there is a reply. */
export function askDelete(pair) {
  if (pair.parts.length) return askFor(openers.remove, pair.id);
  leaveSoon(pair.id);
  return openers.remove?.(pair.id);
}

/** Go to another pair than this one, which is being deleted. */
export const leaveSoon = (id) => onceClosed(() => leavePair(id));

/** Choose the model that answers a pair again; `anchor` is the element it opens at. */
export const askModel = (pair, anchor) => show({ name: "model", pair, anchor });

/** Choose the models that answer a pair again side by side. */
export function askModels(pair) {
  closeDialog();
  askFor(openers.models, pair.id);
}

/** Choose what is to be summarised; `pair`: the one the cursor is at, if any. */
export const askSummary = (pair) => askFor(openers.summary, pair?.id ?? "");

/** An open dialog lets nothing beside it have the focus, and when it closes gives it to whoever had it. */
const onceClosed = (task) => setTimeout(task, 0);

function show(next) {
  if (next && !open) origin = document.activeElement;
  open = next;
  listeners.forEach((listener) => listener());
}
