/**
 * Which pair is being edited in its place, with what is written there so far. One at a time; it outlives a reload.
 *
 * Not the form (edit.jsx), and not the sending (resend.js).
 */
import { tell } from "./toasts.js";
import { go } from "$/islands/transcript/walk.ts";

const KEY = "inview.edit";

let editing = remembered(); // {id, before, text, version: the one that was seen}
const listeners = new Set();

/** The id of the pair that is being edited, "" if none is. */
export const editedPairId = () => editing?.id ?? "";
/** What stands in its text area. */
export const editedText = () => editing?.text ?? "";
export function subscribeEditing(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Edit a pair: its request becomes a text area. `text`: what stands in it, if not what was sent. */
export function startEditing(pair, text = pair.user_text) {
  if (pair.lifecycle === "sending" || pair.lifecycle === "awaiting") return tell("Its reply is running. Stop it, or wait for its end, then edit.");
  if (editing?.id === pair.id) return focusEdit();
  stopEditing(true);
  set({ id: pair.id, before: pair.user_text, text, version: pair.version, asked: true });
  return undefined;
}

/** Whether somebody just asked for it: then the text area takes the focus, which after a reload it does not. */
export const takesFocus = () => Boolean(editing?.asked);

/** The version of the pair that the person has seen: another one is not replaced. */
export const seenVersion = () => editing?.version;
export const seeVersion = (version) => editing && (editing.version = version);

export const keepEdit = (text) => editing && (editing.text = text);

/** Leave the text area. `offers`: what was written there can be taken up again. */
export function stopEditing(offers = false) {
  if (!editing) return;
  const { asked: _, ...left } = editing;
  set(null);
  if (offers && left.text !== left.before) tell("The edit was called off.", async () => set({ ...left, asked: true }));
}

/** The same by a key: everything is as it was, and one is at the request. */
export function cancelEditing() {
  const id = editedPairId();
  stopEditing(true);
  setTimeout(() => go(id, 0), 0); // once the request stands there again
}

const focusEdit = () => document.querySelector(".edit-form textarea")?.focus();

function set(next) {
  editing = next;
  listeners.forEach((listener) => listener());
}

function remembered() {
  if (typeof sessionStorage === "undefined") return null;
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  sessionStorage.removeItem(KEY);
  return kept;
}

if (typeof window !== "undefined") {
  addEventListener("pagehide", () => editing && sessionStorage.setItem(KEY, JSON.stringify({ ...editing, asked: false })));
}
