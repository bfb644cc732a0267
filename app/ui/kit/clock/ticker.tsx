/** Draws nothing: calls `onTick` at regular intervals while it is drawn. */
import { type ReactNode, useEffect, useEffectEvent } from "react";
import type { TickerProps } from "../views.ts";

export function Ticker({ milliseconds, onTick }: TickerProps): ReactNode {
  const tick = useEffectEvent(() => onTick?.());
  useEffect(() => {
    const timer = setInterval(() => tick(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return null;
}
