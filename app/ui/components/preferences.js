/**
 * What a person set for all conversations, as far as the page itself acts on it. The server keeps it.
 *
 * Not the budget's settings, which the server applies. The last answer is remembered in this browser, so that keys are
 * right from the first moment on; it is asked anew once the page has nothing better to do.
 */
import { ask } from "./api.js";

const KEY = "inview.preferences";
const USUAL = Object.freeze({ keys: {}, auto_enter_view_on_overflow: true });

const listeners = new Set();
let known = remembered();
let changes = 0;

/** One of them. */
export const preference = (name) => known[name];

export function subscribePreferences(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export const preferences = () => known;

/** Ask the server for all of them. What was changed while it answered is newer than the answer. */
export async function loadPreferences() {
  const before = changes;
  const answer = await ask("GET", "/preferences");
  if (before === changes) keep(answer);
}

/** What the page of the settings, which is not drawn by scripts, has changed. */
export function takePreferences(changed) {
  changes += 1;
  keep({ ...known, ...changed });
}

function keep(next) {
  known = { ...USUAL, ...next };
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.keys(USUAL).map((name) => [name, known[name]]))));
  listeners.forEach((listener) => listener());
}

function remembered() {
  const text = typeof window === "undefined" ? null : localStorage.getItem(KEY);
  return text ? { ...USUAL, ...JSON.parse(text) } : USUAL;
}
