/** Groups whose arrow keys move the focus between buttons, checkboxes and links, in a circle. */
import type { KeyboardEvent, ReactNode } from "react";
import type { ArrowsProps, RowsProps, TabsProps } from "../views.ts";

const STOPS = "button:not(:disabled), input:not(:disabled), a[href]";

/**
 * Move the focus by `step` among the elements that match the selector `among`. If none of them has the focus, move it
 * to the first or the last. Returns the element that has the focus then.
 */
function walk(event: KeyboardEvent<HTMLElement>, step: number | undefined, among: string): HTMLElement | undefined {
  if (!step || event.defaultPrevented) return undefined;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>(among)];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? stops.at(step > 0 ? 0 : -1) : stops.at((at + step) % stops.length);
  next?.focus();
  return next;
}

export const Arrows = ({ among, className, children }: ArrowsProps): ReactNode => (
  // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus among what it holds
  <div
    className={className}
    onKeyDown={(event) => walk(event, { ArrowDown: 1, ArrowUp: -1 }[event.key], `${among} :is(${STOPS})`)}
  >
    {children}
  </div>
);

/** A list whose up and down arrows move from row to row, and the left and right ones between the controls of a row. */
export const Rows = ({ among, className, children }: RowsProps): ReactNode => {
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, currentTarget, defaultPrevented } = event;
    if (defaultPrevented || !(target instanceof HTMLElement) || target.matches("input")) return;
    const row = target.closest(among);
    if (!row) return;
    const rows = [...currentTarget.querySelectorAll(among)];
    const stopsOf = (of: Element | undefined) =>
      [...(of?.querySelectorAll<HTMLElement>(STOPS) ?? [])].filter((stop) => stop.checkVisibility());
    const next = (all: readonly unknown[], now: unknown, step: number) => (all.indexOf(now) + step) % all.length;
    const [down, along] = [{ ArrowDown: 1, ArrowUp: -1 }[key], { ArrowRight: 1, ArrowLeft: -1 }[key]];
    const own = stopsOf(row);
    const stop = down ? stopsOf(rows.at(next(rows, row, down)))[0] : along && own.at(next(own, target, along));
    if (!stop) return;
    event.preventDefault();
    stop.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus among what it holds
    <div className={className} onKeyDown={pressed}>
      {children}
    </div>
  );
};

/** A list of tabs, which scrolls sideways. The left and right arrows focus another tab and choose it. */
export const Tabs = ({ label, className, children }: TabsProps): ReactNode => (
  <div
    className={className}
    role="tablist"
    aria-label={label}
    onKeyDown={(event) => walk(event, { ArrowRight: 1, ArrowLeft: -1 }[event.key], ":scope > [role=tab]")?.click()}
  >
    {children}
  </div>
);
