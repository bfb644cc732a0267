/** A group whose buttons, boxes or links can be walked through with the arrow keys; the ends meet. */
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import type { ArrowsProps } from "./views.ts";

const STOPS = "button:not(:disabled), input:not(:disabled), a[href]";

export function Arrows({ among, className, children }: ArrowsProps): ReactNode {
  const group = useRef<HTMLDivElement>(null);
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.defaultPrevented) return;
    const stops = [...(group.current?.querySelectorAll<HTMLElement>(`${among} :is(${STOPS})`) ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length;
    stops[next]?.focus();
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus among what it holds
    <div ref={group} className={className} onKeyDown={pressed}>
      {children}
    </div>
  );
}
