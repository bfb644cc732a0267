/** A line that disappears after a while, but stays while a pointer or the focus is on it. */
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { goTo, goToContent } from "../keys/places.ts";
import type { PassingProps } from "../views.ts";

export function Passing({ milliseconds, to, className, onEnd, children }: PassingProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef(0);
  const hold = () => clearTimeout(timer.current);
  const release = () => {
    hold();
    if (milliseconds) timer.current = window.setTimeout(() => onEnd?.(), milliseconds);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it starts to disappear only once
  useLayoutEffect(() => {
    const line = box.current;
    release();
    return () => {
      hold();
      if (!line?.contains(document.activeElement)) return;
      goTo(to === "composer" ? to : "history");
      if (document.activeElement === document.body) goToContent(); // there is no transcript on this page
    };
  }, []);
  const hands = { onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: release };
  return (
    <div ref={box} className={className} {...hands}>
      {children}
    </div>
  );
}
