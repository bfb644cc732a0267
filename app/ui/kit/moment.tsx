/** A moment in the reader's language and time zone, which only the browser knows. The exact time shows on hover. */
import { type MouseEvent, type ReactNode, useEffect, useReducer } from "react";
import { ago, clock, locale } from "./time.ts";
import type { MomentProps, TimeForm } from "./views.ts";

const TICK_MS = 30_000;
const WRITE: Record<TimeForm, (at: Date) => string> = {
  ago: (at) => ago(at, Date.now(), document.documentElement.lang),
  clock,
  time: (at) => at.toLocaleTimeString(locale()),
  day: (at) => at.toLocaleDateString(locale()),
  full: (at) => at.toLocaleString(locale()),
};

export function Moment({ at, form = "ago" }: MomentProps): ReactNode {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (form !== "ago") return undefined;
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [form]);
  if (!at || typeof window === "undefined") return null; // the page is drawn at build time in no zone
  const date = new Date(at);
  const tell = ({ currentTarget }: MouseEvent) => currentTarget.setAttribute("title", WRITE.full(date));
  return (
    <time dateTime={at} onMouseEnter={tell}>
      {WRITE[form](date)}
    </time>
  );
}
