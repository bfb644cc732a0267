/** Which of the page's dialogs that are not Python yet is open, and for what. Not their looks (model_menu.jsx). */

let open = null;
let openers = {}; // how to ask for the dialogs that are Python
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
  setTimeout(() => origin?.isConnected && origin.focus({ preventScroll: true })); // nothing beside an open dialog takes it
}

export const learnOpeners = (next) => void (openers = next);

/** Choose the model that answers a pair again; `anchor` is the element it opens at. */
export const askModel = (pair, anchor) => show({ name: "model", pair, anchor });

/** Choose the models that answer a pair again side by side. */
export function askModels(pair) {
  closeDialog();
  openers.models?.(pair.id);
}

function show(next) {
  if (next && !open) origin = document.activeElement;
  open = next;
  listeners.forEach((listener) => listener());
}
