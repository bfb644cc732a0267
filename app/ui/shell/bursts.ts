/**
 * Letters in quick succession are text, also in the key mode, where a single letter is a command. Pure: times come from
 * the events.
 */
import type { KeyBinding } from "./views.ts";

const BURST_MS = 250;
const LETTER = /^\p{L}$/u;

/** A key that was a command at this time. */
export interface Command {
  readonly key: string;
  readonly at: number;
  readonly binding: KeyBinding;
}

/** Commands that were typed one right after the other. */
export type Burst = readonly Command[];

/** Return the burst that a key at this time continues; an empty one if the last key was too long ago. */
export function burstAt(burst: Burst, at: number): Burst {
  const last = burst.at(-1);
  return last && at - last.at < BURST_MS ? burst : [];
}

/**
 * True for a letter or a space that is text together with the earlier keys of the burst. False after a command that
 * moves, or that is repeated and opens nothing: people press these as fast. False after a command that ends the key mode:
 * a message is written next.
 */
export function makesText(burst: Burst, key: string): boolean {
  const last = burst.at(-1);
  if (!last || !LETTER.test(last.key) || !(LETTER.test(key) || key === " ")) return false;
  if (key === last.key && !last.binding.opens) return false;
  return !last.binding.ends && !moves(last.binding);
}

/** True for a command that only leads to another place on the page. */
const moves = ({ place, pair }: KeyBinding): boolean => place !== null && pair === "none";
