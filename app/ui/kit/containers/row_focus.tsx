/**
 * A region with rows that may be removed while they have the focus. The focus then goes to the row after the removed
 * one, or to the last row; without any rows, to the heading. If a button adds the last rows and is removed itself, the
 * focus goes to the first new row.
 *
 * The row itself gets the focus, not one of its buttons, so that a key that is still pressed does nothing more.
 */
import { type FocusEvent, type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import type { RowFocusProps } from "../views.ts";

/** The element that has the focus, the number of its row (-1: it is in no row), and how many rows there were. */
interface Spot {
  readonly element: Element;
  readonly at: number;
  readonly count: number;
}

export function RowFocus({ among, heading, className, children }: RowFocusProps): ReactNode {
  const region = useRef<HTMLDivElement>(null);
  const last = useRef<Spot | null>(null);
  const rowsOf = () => [...(region.current?.querySelectorAll<HTMLElement>(among) ?? [])];
  const note = (element: Element) => {
    const rows = rowsOf();
    last.current = { element, at: rows.findIndex((row) => row.contains(element)), count: rows.length };
  };
  const changed = useEffectEvent(() => {
    const spot = last.current;
    if (!spot) return;
    if (spot.element.isConnected) {
      note(spot.element); // rows before it may have been added or removed
      return;
    }
    last.current = null;
    if (document.activeElement !== document.body) return;
    const rows = rowsOf();
    if (spot.at < 0 && rows.length > 0 && rows.length <= spot.count) return;
    const at = spot.at < 0 ? spot.count : spot.at;
    const next = rows[Math.min(at, rows.length - 1)] ?? document.querySelector<HTMLElement>(heading);
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
  });
  useEffect(() => {
    if (!region.current) return undefined;
    const observer = new MutationObserver(() => changed());
    observer.observe(region.current, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  // React reports no loss of the focus for an element that it removes. A dialog that asks about a row has the focus
  // while it is open. It may close when the row is removed, so that the row does not get the focus again before.
  const left = () => {
    if (!document.querySelector("dialog:modal")) last.current = null;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it notes the focus of what it holds
    <div ref={region} className={className} onFocus={({ target }: FocusEvent) => note(target)} onBlur={left}>
      {children}
    </div>
  );
}
