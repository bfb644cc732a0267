/**
 * The current props of the window of pairs, for code outside React, such as the handling of keys. This module also
 * requests other pairs and waits until they are loaded. The props are dropped when the window disappears.
 */
import { currentLink, onLink } from "../kit/connection/link.ts";
import type { ScreenPairView, TranscriptWindowProps } from "./views.ts";

const PATIENCE_MS = 3000;
let held: TranscriptWindowProps | null = null;
const waiting = new Set<() => void>();
const coming = new Map<"earlier" | "later", Promise<void>>();

export const heldNow = (): TranscriptWindowProps | null => held;
export const pairsNow = (): readonly ScreenPairView[] => held?.pairs ?? [];
export const pairOf = (id: string): ScreenPairView | undefined => pairsNow().find((pair) => pair.id === id);

/** Set the current props of the window. Call the result when the window disappears. */
export function hold(props: TranscriptWindowProps): () => void {
  if (held?.path !== props.path) coming.clear();
  held = props;
  for (const look of [...waiting]) look();
  return () => {
    if (held === props) held = null;
  };
}

const first = (): number => pairsNow()[0]?.position ?? 0;
const last = (): number => pairsNow().at(-1)?.position ?? 0;

/** Load pairs above the oldest loaded one or below the newest, if there are any. Simultaneous calls share a request. */
export function bringIn(which: "earlier" | "later"): Promise<void> {
  const found = coming.get(which);
  if (found || !held?.[which]) return found ?? Promise.resolve();
  const [ask, edge, sign] = which === "earlier" ? [held.onEarlier, first, -1] : [held.onLater, last, 1];
  const before = edge();
  ask?.();
  const promise = until(() => !held?.[which] || sign * (edge() - before) > 0).then(() => void coming.delete(which));
  coming.set(which, promise);
  return promise;
}

/**
 * Load the pair at a position, or the next one in view; 0 is the first. Resolves to true when it is loaded, however
 * long that takes, and to false if the connection is lost or the window shows another conversation.
 */
export function showPosition(position: number): Promise<boolean> {
  const hasCome = () => !!held && (first() <= position || !held.earlier) && (last() >= position || !held.later);
  if (!held || hasCome()) return Promise.resolve(!!held);
  const { path, onPosition } = held;
  onPosition?.(position);
  return new Promise((resolve) => {
    const look = () => {
      const isAwaited = held?.path === path && currentLink() !== "lost";
      if (isAwaited && !hasCome()) return;
      waiting.delete(look);
      stop();
      resolve(isAwaited);
    };
    const stop = onLink(look);
    waiting.add(look);
    look();
  });
}

/** Go to the newest pairs. */
export function showNewest(): Promise<void> {
  if (!held?.later) return Promise.resolve();
  held.onNewest?.();
  return until(() => !held?.later);
}

/** Resolves when the pairs of the conversation on screen are loaded. */
export const untilThere = (): Promise<void> => until(() => held !== null);

/** Resolves when the condition `holds` is true, or after `PATIENCE_MS`. */
function until(holds: () => boolean): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const look = () => holds() && done();
    const timer = setTimeout(done, PATIENCE_MS);
    waiting.add(look);
  });
}
