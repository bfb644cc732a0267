/**
 * A button that records the next key. It starts to record at the click, without waiting for Python. Python decides the
 * effect of the recorded key, and whether the button records another key.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { keyIn } from "../kit/keys/pressed_key.ts";
import type { KeyFieldProps } from "./views.ts";

const PASSED_ON = ["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Tab"];

export function KeyField(props: KeyFieldProps): ReactNode {
  const { text, label, asking, askingText, askingLabel, hint, className, onAsk, onPress, onLeave } = props;
  const [waits, setWaits] = useState(asking);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the key is an answer too
  useEffect(() => setWaits(asking), [asking, text]);
  const ask = () => {
    setWaits(true);
    onAsk?.();
  };
  const press = (event: KeyboardEvent) => {
    if (!waits || PASSED_ON.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) onPress?.(keyIn(event), event.ctrlKey || event.metaKey || event.altKey);
  };
  const leave = () => {
    if (!waits) return;
    setWaits(false);
    onLeave?.();
  };
  return (
    <button
      type="button"
      className={className}
      data-asking={waits || undefined}
      aria-label={waits ? askingLabel : label}
      title={hint}
      onClick={ask}
      onKeyDown={press}
      onBlur={leave}
    >
      {waits ? askingText : text}
    </button>
  );
}
