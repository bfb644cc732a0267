/** The column that folds away. On wide screens that is remembered, on small ones it is closed on every page at first. */
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import type { DrawerProps, DrawerToggleProps, SkipLinkProps } from "./views.ts";

const WIDE = "(min-width: 860px)";
const KEPT = "inview.drawer";
const opened = new Set<() => void>();

const isWide = (): boolean => matchMedia(WIDE).matches;
const isOpen = (): boolean => document.documentElement.dataset.drawer === "open";

function show(state: string): void {
  document.documentElement.dataset.drawer = state;
}

function setDrawer(open: boolean): void {
  const state = open ? "open" : "closed";
  show(state);
  if (isWide()) localStorage.setItem(KEPT, state);
  if (open) for (const listener of opened) listener();
}

export function Drawer({ children, label }: DrawerProps): ReactNode {
  const { pathname } = useLocation();
  const place = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page begins with it as it is wanted there
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const adapt = () => show(wide.matches ? (localStorage.getItem(KEPT) ?? "open") : "closed");
    adapt();
    wide.addEventListener("change", adapt);
    return () => wide.removeEventListener("change", adapt);
  }, [pathname]);
  useEffect(() => {
    const pressed = ({ key }: KeyboardEvent) => {
      if (key === "Escape" && isOpen() && !isWide()) setDrawer(false);
    };
    // Over the page it takes the focus; beside the page it does not.
    const focus = () => {
      if (!isWide()) place.current?.focus({ preventScroll: true });
    };
    addEventListener("keydown", pressed);
    opened.add(focus);
    return () => {
      removeEventListener("keydown", pressed);
      opened.delete(focus);
    };
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same */}
      <div className="drawer-shade" onClick={() => setDrawer(false)} />
      <nav className="drawer" aria-label={label} ref={place} tabIndex={-1}>
        {children}
      </nav>
    </>
  );
}

export function DrawerToggle({ children, label, className }: DrawerToggleProps): ReactNode {
  return (
    <button type="button" className={className} aria-label={label} title={label} onClick={() => setDrawer(!isOpen())}>
      {children}
    </button>
  );
}

/** Not the router's own link, which moves no focus, and leads elsewhere until the scripts have come. */
export function SkipLink({ children, to }: SkipLinkProps): ReactNode {
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    document.getElementById(to)?.focus();
  };
  return (
    <a className="skip" href={`#${to}`} onClick={skip}>
      {children}
    </a>
  );
}
