/** A list of tabs that the arrow keys walk: the one that is reached is chosen. Its children are the tabs. */
import type { KeyboardEvent, ReactNode } from "react";
import type { TabsProps } from "./views.ts";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ label, className, children }: TabsProps): ReactNode {
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>(":scope > [role=tab]")];
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next?.click();
    next?.focus();
  };
  return (
    <div className={className} role="tablist" aria-label={label} onKeyDown={walk}>
      {children}
    </div>
  );
}
