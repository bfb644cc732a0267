/** Hears Escape from what is in it. Nothing around it does: a dialog stays open. */
import type { KeyboardEvent, ReactNode } from "react";
import type { EscapeProps } from "./views.ts";

export function Escape({ className, onEscape, children }: EscapeProps): ReactNode {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onEscape?.();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key of the controls in it, not of the element
    <div className={className} onKeyDown={pressed}>
      {children}
    </div>
  );
}
