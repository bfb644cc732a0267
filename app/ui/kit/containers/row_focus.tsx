/**
 * A region with rows that may be removed while they have the focus. The focus then goes to the row that is in the place
 * of the removed one, or to the last row; without any rows, to the heading.
 *
 * The row itself gets the focus, not one of its buttons, so that a key that is still pressed does nothing more.
 */
import { type FocusEvent, type ReactNode, useEffect, useEffectEvent, useRef } from "react";
import type { RowFocusProps } from "../views.ts";

/** The element that has the focus, and the number of its row (-1: it is in no row). */
interface Spot {
  readonly element: Element;
  readonly at: number;
}

export function RowFocus({ among, heading, className, children }: RowFocusProps): ReactNode {
  const region = useRef<HTMLDivElement>(null);
  const last = useRef<Spot | null>(null);
  const rowsOf = () => [...(region.current?.querySelectorAll<HTMLElement>(among) ?? [])];
  const note = (element: Element) => {
    last.current = { element, at: rowsOf().findIndex((row) => row.contains(element)) };
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
    const next = rows[Math.min(Math.max(spot.at, 0), rows.length - 1)] ?? document.querySelector<HTMLElement>(heading);
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
