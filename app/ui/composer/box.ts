/**
 * The text area as the rest of the composer knows it: whether something is written, and sending it. There is one on a
 * page; it registers itself.
 */
import { useSyncExternalStore } from "react";

/** What the text area offers. `send` names the order it follows, "" for a person's own. */
export interface Box {
  readonly send: (order: string) => void;
  readonly area: HTMLTextAreaElement;
}

/** `blank`: nothing is written that could be sent. `failed`: the last send could not leave the browser. */
export interface BoxState {
  readonly blank: boolean;
  readonly failed: boolean;
}

let box: Box | null = null;
let state: BoxState = { blank: true, failed: false };
const atFirst = state;
const listeners = new Set<() => void>();

export const currentBox = (): Box | null => box;

/** Be the text area of the page. Returns how to stop being it. */
export function register(next: Box): () => void {
  box = next;
  return () => {
    if (box === next) box = null;
  };
}

export function setBox(change: Partial<BoxState>): void {
  const next = { ...state, ...change };
  if (next.blank === state.blank && next.failed === state.failed) return;
  state = next;
  for (const listener of [...listeners]) listener();
}

export const useBox = (): BoxState =>
  useSyncExternalStore(
    subscribe,
    () => state,
    () => atFirst,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
