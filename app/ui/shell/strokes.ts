/** Finds the binding of a pressed key in the table of keys. Pure: the place of the focus is an argument (`Spot`). */
import { keyIn, type Pressed } from "../kit/keys/pressed_key.ts";
import type { KeyBinding, OwnKey } from "./views.ts";

/** INPUT: the composer, or a pair that is edited. COMMAND: the filter bar. VIEW: everything else. */
export type Mode = "INPUT" | "VIEW" | "COMMAND";

/**
 * The place of the focus. `place` is "inspector" in the inspector, and "" where keys of the mode VIEW do not act.
 * `presses`: the focus is on a button or a link. `keys`: single keys are commands.
 */
export interface Spot {
  readonly mode: Mode;
  readonly keys: boolean;
  readonly place: "" | "page" | "inspector";
  readonly presses: boolean;
}

export type Stroke = Pressed & Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey">;

export const isPlain = ({ ctrlKey, metaKey, altKey }: Stroke): boolean => !ctrlKey && !metaKey && !altKey;

/** Find the binding of a key at a spot. `own` are the keys that a person chose instead of those of the table. */
export function bindingOf(
  stroke: Stroke,
  spot: Spot,
  bindings: readonly KeyBinding[],
  own: readonly OwnKey[],
): KeyBinding | undefined {
  const key = nameOf(stroke);
  if (!key || (spot.presses && (key === "Enter" || key === "Space"))) return undefined;
  const keyOf = ({ fixed, action, key: usual }: KeyBinding) =>
    (fixed ? undefined : own.find((one) => one.action === action)?.key) ?? usual;
  return bindings.find((one) => acts(one, spot) && keyOf(one) === key);
}

function acts({ mode, inspector, fixed }: KeyBinding, spot: Spot): boolean {
  if (mode === "anywhere") return true;
  if (mode !== spot.mode || (mode === "VIEW" && !fixed && !spot.keys)) return false;
  return mode !== "VIEW" || spot.place === "page" || (spot.place === "inspector" && inspector);
}

/** Return the name of a key in the table, "" for keys of the browser. */
function nameOf(stroke: Stroke): string {
  if (isPlain(stroke)) return stroke.key === "Escape" ? "Esc" : keyIn(stroke);
  return stroke.altKey || stroke.shiftKey ? "" : `Ctrl+${stroke.key.toUpperCase()}`;
}
