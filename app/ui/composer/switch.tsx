/**
 * A switch that shows its new state at once. A click before this script ran counts too. The switch does not change
 * while the server cannot be reached.
 */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { currentLink } from "../kit/connection/link.ts";
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
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has this state already
        role="switch"
        checked={shown}
        onChange={({ target }) => turn(target.checked)}
        aria-describedby={describedBy}
      />
      {children}
    </label>
  );
}
