/** Nothing to see: calls `onTick` again and again, for as long as it is drawn. */
import { type ReactNode, useEffect, useRef } from "react";
import type { TickerProps } from "./views.ts";

export function Ticker({ milliseconds, onTick }: TickerProps): ReactNode {
  const tick = useRef(onTick);
  tick.current = onTick;
  useEffect(() => {
    const timer = setInterval(() => tick.current?.(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return null;
}
