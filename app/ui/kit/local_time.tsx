/** A moment as the reader's own language and time zone write it. Only the browser knows those. */
import type { ReactNode } from "react";
import type { LocalTimeProps, TimeForm } from "./views.ts";

const WRITE: Record<TimeForm, (at: Date) => string> = {
  time: (at) => at.toLocaleTimeString(),
  day: (at) => at.toLocaleDateString(),
  full: (at) => at.toLocaleString(),
};

export function LocalTime({ at, form }: LocalTimeProps): ReactNode {
  if (!at || typeof window === "undefined") return null; // the page is drawn at build time in no zone
  return <time dateTime={at}>{WRITE[form](new Date(at))}</time>;
}
