/** Sends an event at first and whenever a value has changed. It draws nothing. */
import { useEffect, useEffectEvent } from "react";
import type { OnChangeProps } from "../views.ts";

export function OnChange({ value, onChange }: OnChangeProps): null {
  const changed = useEffectEvent(() => onChange?.());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value itself is not needed
  useEffect(() => void changed(), [value]);
  return null;
}
