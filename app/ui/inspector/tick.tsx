/** A box to be ticked that can also show that some of what it stands for is. */
import { type ReactNode, useLayoutEffect, useRef } from "react";
import type { TickProps } from "./views.ts";

export function Tick({ label, checked, some = false, onToggle }: TickProps): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (box.current) box.current.indeterminate = some;
  }, [some]);
  return <input ref={box} type="checkbox" aria-label={label} checked={checked} onChange={() => onToggle?.()} />;
}
