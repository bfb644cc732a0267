/**
 * Which conversations are temporary, as far as this page knows, and whether the next one is to be.
 *
 * Nothing here is kept: what a browser stores is on a disk too.
 */
const kinds = new Map([["", false]]); // conversation → whether it is temporary; "" is the one that is not there yet
const listeners = new Set();

export function subscribeKind(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True or false, undefined as long as nobody knows. */
export const isTemporary = (conversation) => kinds.get(conversation || "");

export function learnKind(conversation, temporary) {
  if (kinds.get(conversation || "") === temporary) return;
  kinds.set(conversation || "", temporary);
  listeners.forEach((listener) => listener());
}
