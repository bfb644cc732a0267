/** Tells Python the reader's time zone where it is another than the one remembered. */
import { useEffect, useRef } from "react";
import type { ReaderZoneProps } from "./views.ts";

const LATER_MS = 2000; // the browser takes tens of milliseconds to say it, and the opening has better things to do

export function ReaderZone({ zone, onZone }: ReaderZoneProps): null {
  const latest = useRef({ zone, onZone });
  latest.current = { zone, onZone };
  useEffect(() => {
    const timer = setTimeout(() => {
      const now = Intl.DateTimeFormat().resolvedOptions().timeZone;
      if (now !== latest.current.zone) latest.current.onZone?.(now);
    }, LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  return null;
}
