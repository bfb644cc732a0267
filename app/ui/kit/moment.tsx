/** A moment as people say it, exact on hover; it keeps up with the clock. `exact`: the time of day. */
import { type ReactNode, useEffect, useReducer } from "react";
import { ago, clock } from "./time.ts";
import type { MomentProps } from "./views.ts";

const TICK_MS = 30_000;

export function Moment({ at, exact = false }: MomentProps): ReactNode {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (exact) return undefined;
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [exact]);
  if (!at || typeof window === "undefined") return null; // the page is drawn at build time in no zone
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      onMouseEnter={({ currentTarget }) => {
        currentTarget.title = date.toLocaleString();
      }}
    >
      {exact ? clock(date) : ago(date, Date.now())}
    </time>
  );
}
