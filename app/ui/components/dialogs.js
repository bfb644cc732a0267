/**
 * Which of the page's dialogs is open, and for what. The dialogs themselves are fetched when the first one opens.
 *
 * Not their looks (topic_picker.jsx, sheet.jsx, delete_pair.jsx, later_pairs.jsx, model_menu.jsx).
 */
import { deletePair } from "./marks.js";
import { leavePair } from "./walk.js";

let open = null;
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
  if (!open) return false;
  if (event.key === "Escape") closeDialog();
  return true;
}

/** Choose a topic for a pair; `anchor` is the element it opens at. */
export const askTopic = (pair, anchor) => show({ name: "topic", pair, anchor });

/** Choose the composer's topic. */
export const askChosenTopic = (conversation, anchor) => show({ name: "topic", conversation, anchor });

/** All keys; `at` "filter": the filter language. */
export const showSheet = (at) => show({ name: "sheet", at });

/** Delete a pair, after asking where there is a reply. */
export function askDelete(pair) {
  if (pair.parts.length) show({ name: "delete", pair });
  else confirmDelete(pair);
}

export function confirmDelete(pair) {
  show(null);
  onceClosed(() => leavePair(pair.id));
  return deletePair(pair);
}

/** Choose the model that answers a pair again; `anchor` is the element it opens at. */
export const askModel = (pair, anchor) => show({ name: "model", pair, anchor });

/** Choose the models that answer a pair again side by side. */
export const askModels = (pair) => show({ name: "models", pair });

/** Choose what is to be summarised; `pair`: the one the cursor is at, if any. */
export const askSummary = (pair) => show({ name: "summarise", pair });

/** How the versions of a pair differ. */
export const compareVersions = (pair) => show({ name: "versions", pair });

/** The request kept of a pair that failed. */
export const showSnapshot = (pair) => show({ name: "snapshot", pair });

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
