/** Components that depend on the time that is left until a moment on the server's clock. */
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { CountdownProps, UntilProps } from "../views.ts";
import { clockLead, secondsLeft, two } from "./time.ts";

const SECOND = 1000;
const HOUR = 3600;

/** Return the seconds until `until`, again every second. `now` is the server's time when both were received. */
export function useSecondsLeft(until: string, now: string): number {
  const ahead = useMemo(() => clockLead(now, Date.now()), [now]);
  const left = () => secondsLeft(until, Date.now() + ahead);
  const [, tick] = useState(0);
  const isOver = left() === 0;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => document.hidden || tick((count) => count + 1), SECOND);
    return () => clearInterval(timer);
  }, [isOver]);
  return left();
}

export function Countdown({ until, now, after, hours, seconds, late = 0 }: CountdownProps): ReactNode {
  const left = useSecondsLeft(until, now);
  return (
    <time dateTime={until} data-late={left < late || undefined}>
      {left >= HOUR
        ? `${Math.floor(left / HOUR)}:${two(Math.floor((left % HOUR) / 60))}${hours}`
        : seconds && left < 60
          ? `${left}${seconds}`
          : `${Math.floor(left / 60)}:${two(left % 60)}`}
      {after}
    </time>
  );
}

export const Until = ({ until, now, children }: UntilProps): ReactNode =>
  useSecondsLeft(until, now) > 0 ? children : null;
