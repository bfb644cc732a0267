/** A moment in the reader's language and time zone, which only the browser knows. The exact time shows on hover. */
import { type ReactNode, useEffect, useReducer } from "react";
import type { MomentProps, TimeForm } from "../views.ts";
import { ago, clock } from "./time.ts";

const TICK_MS = 30_000;
const WRITE: Record<TimeForm, (at: Date) => string> = {
  ago: (at) => ago(at, Date.now()),
  clock,
  time: (at) => at.toLocaleTimeString(),
  day: (at) => at.toLocaleDateString(),
  full: (at) => at.toLocaleString(),
};

export function Moment({ at, form = "ago" }: MomentProps): ReactNode {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (form !== "ago") return undefined;
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [form]);
  if (!at || typeof window === "undefined") return null; // at build time the page is drawn without a time zone
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      onMouseEnter={({ currentTarget }) => {
        currentTarget.title = WRITE.full(date);
      }}
    >
      {WRITE[form](date)}
    </time>
  );
}
