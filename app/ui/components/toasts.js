/**
 * What was just done, in a line, and how to take it back: the one stack of undos of this tab.
 *
 * Not for faults of forms, which stand at the form, and not the look of it (toasts.jsx).
 */
import { needPart } from "./page_parts.js";

const SHOWN_MS = 7000;
const KEPT = 50;
const PATIENCE_MS = 2000; // for a state to say what it did

let toast = null;
let timer = 0;
let underway = Promise.resolve();
const undos = [];
const listeners = new Set();

export const currentToast = () => toast;
export function subscribeToast(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Say something. `undo`: an async function that takes it back; it is offered in the toast and by Ctrl+Z in VIEW. Where a
 * state says what came of it, it resolves with false.
 */
export function tell(words, undo) {
  const entry = undo && { words, undo };
  if (entry && undos.push(entry) > KEPT) undos.shift();
  show({ words, entry, fault: false });
}

/** Wait for `work`, then say what was done, or what went wrong. Taking the last thing back waits as well. */
export function tellOf(work, words, undo) {
  const told = work.then(() => tell(words(), undo), tellFault);
  underway = Promise.all([underway, told]);
  return told;
}

/** A state was asked to do what it will say: taking the last thing back waits for that. */
export function expectTold() {
  const said = new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    const stop = subscribeToast(() => (stop(), clearTimeout(timer), resolve()));
  });
  underway = Promise.all([underway, said]);
}

/** Say how something goes that takes a while, again and again; `stop` ends it. */
export const tellWork = (words, stop) => show({ words, stop, fault: false });

/** Say what went wrong. */
export const tellFault = (problem) => show({ words: problem.message, fault: true });

/** Whether something was done in this tab that can be taken back. */
export const hasUndo = () => undos.length > 0;

/** Take back what the toast tells of, or else the last thing done. */
export async function undo(entry) {
  if (!entry) {
    await underway;
    entry = undos.at(-1);
  }
  const at = undos.indexOf(entry);
  if (at < 0) return bringBack();
  undos.splice(at, 1);
  try {
    if ((await entry.undo()) !== false) show({ words: `Taken back: ${entry.words}`, fault: false });
    return undefined;
  } catch (problem) {
    return tellFault(problem);
  }
}

/** Nothing was done here since the page was opened: what was deleted before can come back. */
async function bringBack() {
  try {
    const words = await (await needPart(() => import("./undelete.js"))).bringBack();
    return show({ words: words ? `Taken back: ${words}` : "There is nothing to take back.", fault: false });
  } catch (problem) {
    return tellFault(problem);
  }
}

export const dismiss = () => show(null);

/** It stays while a pointer or the focus is on it. */
export const hold = () => clearTimeout(timer);
export function release() {
  clearTimeout(timer);
  timer = setTimeout(dismiss, SHOWN_MS);
}

function show(next) {
  toast = next && { ...next, id: (toast?.id ?? 0) + 1 };
  clearTimeout(timer);
  if (toast) release();
  listeners.forEach((listener) => listener());
}
