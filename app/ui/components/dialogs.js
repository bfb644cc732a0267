/**
 * Which of the page's dialogs is open, and for what. The dialogs themselves are fetched when the first one opens.
 *
 * Not their looks (later_pairs.jsx, model_menu.jsx). Some are Python by now, and only asked for here.
 */
import { expectTold } from "./toasts.js";
import { leavePair } from "$/islands/transcript/walk.ts";

const PATIENCE_MS = 500;

let open = null;
let openers = {}; // how to ask for the dialogs that are Python
let awaited = 0; // until when one of these is waited for
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
  if (!open) return performance.now() < awaited;
  if (event.key === "Escape") closeDialog();
  return true;
}

export const learnOpeners = (next) => void (openers = next);

/** A dialog that is Python is there, or gone. */
export const dialogCame = () => void (awaited = 0);

/** Choose a topic for a pair. */
export const askTopic = (pair) => askFor(openers.topic, pair.id);

/** All keys. */
export const showSheet = (at) => askFor(openers.sheet, at);

function askFor(opener, about) {
  awaited = performance.now() + PATIENCE_MS;
  opener?.(about);
}

/** Delete a pair, after asking where there is a reply. */
export function askDelete(pair) {
  if (pair.parts.length) return askFor(openers.remove, pair.id);
  leaveSoon(pair.id);
  return openers.remove?.(pair.id);
}

/** Go to another pair than this one, which is being deleted. */
export function leaveSoon(id) {
  expectTold();
  onceClosed(() => leavePair(id));
}

/** Choose the model that answers a pair again; `anchor` is the element it opens at. */
export const askModel = (pair, anchor) => show({ name: "model", pair, anchor });

/** Choose the models that answer a pair again side by side. */
export function askModels(pair) {
  closeDialog();
  askFor(openers.models, pair.id);
}

/** Choose what is to be summarised; `pair`: the one the cursor is at, if any. */
export const askSummary = (pair) => show({ name: "summarise", pair });

/** Open a dialog that ends in a choice, its `onChoose`. Resolves with that, null if it was called off. */
export const decide = (dialog) =>
  new Promise((resolve) => {
    const onChoose = (choice) => {
      resolve(choice);
      closeDialog();
    };
    show({ ...dialog, onChoose, onCancel: closeDialog, left: () => resolve(null) });
  });

/** An open dialog lets nothing beside it have the focus, and when it closes gives it to whoever had it. */
const onceClosed = (task) => setTimeout(task, 0);

function show(next) {
  if (next && !open) origin = document.activeElement;
  open?.left?.();
  open = next;
  listeners.forEach((listener) => listener());
}
