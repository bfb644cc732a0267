/**
 * The text area as the rest of the composer knows it: whether something is written, and sending it. There is one on a
 * page; it registers itself.
 */
import { signal } from "../kit/signal.ts";

/** `blank`: nothing is written that could be sent. `failed`: the last send could not leave the browser. */
export interface BoxState {
  readonly blank: boolean;
  readonly failed: boolean;
}

let sendWritten: (() => void) | null = null;
const state = signal<BoxState>({ blank: true, failed: false });

/** Send what is written, as Enter does. */
export const pressSend = (): void => sendWritten?.();

/** Be the text area of the page, which sends like this. Returns how to stop being it. */
export function register(send: () => void): () => void {
  sendWritten = send;
  return () => {
    if (sendWritten === send) sendWritten = null;
  };
}

export function setBox(change: Partial<BoxState>): void {
  const before = state.get();
  const next = { ...before, ...change };
  if (next.blank !== before.blank || next.failed !== before.failed) state.set(next);
}

export const useBox = state.use;
