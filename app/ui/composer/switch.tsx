/**
 * A switch that shows what it was turned to at once. It counts also if it was turned before this script ran, and stays
 * as it is while the server is out of reach.
 */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { currentLink } from "../kit/link.ts";
import type { SwitchProps } from "./views.ts";

export function Switch({ on, describedBy, onTurn, children }: SwitchProps): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(on);
  const turn = (to: boolean) => {
    if (currentLink() !== "lost") setShown(to);
    onTurn?.(to);
  };
  const early = useRef(turn);
  useEffect(() => {
    setShown(on);
  }, [on]);
  useLayoutEffect(() => {
    if (box.current?.checked) early.current(true);
  }, []);
  return (
    <label>
      <input
        ref={box}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked
        role="switch"
        checked={shown}
        onChange={({ target }) => turn(target.checked)}
        aria-describedby={describedBy}
      />
      {children}
    </label>
  );
}
