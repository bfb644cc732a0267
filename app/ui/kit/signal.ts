/** A value outside React that several parts of the page watch. */
import { useSyncExternalStore } from "react";

/**
 * `subscribe` calls a listener after each change, and returns a function that stops this. `use` returns the value and
 * redraws the component after each change.
 */
export interface Signal<Value> {
  get(): Value;
  set(next: Value): void;
  subscribe(listener: () => void): () => void;
  use(): Value;
}

export function signal<Value>(value: Value): Signal<Value> {
  const first = value;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const set = (next: Value) => {
    if (next === value) return;
    value = next;
    for (const listener of [...listeners]) listener();
  };
  return { get, set, subscribe, use: () => useSyncExternalStore(subscribe, get, () => first) };
}
