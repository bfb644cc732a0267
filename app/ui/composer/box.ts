/**
 * The text area as the rest of the composer knows it: whether something is written, and sending it. There is one on a
 * page; it registers itself.
 */
import { signal } from "../kit/signal.ts";

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
const state = signal<BoxState>({ blank: true, failed: false });

export const currentBox = (): Box | null => box;

/** Be the text area of the page. Returns how to stop being it. */
export function register(next: Box): () => void {
  box = next;
  return () => {
    if (box === next) box = null;
  };
}

export function setBox(change: Partial<BoxState>): void {
  const before = state.get();
  const next = { ...before, ...change };
  if (next.blank !== before.blank || next.failed !== before.failed) state.set(next);
}

export const useBox = state.use;
