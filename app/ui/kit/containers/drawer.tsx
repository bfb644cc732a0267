/**
 * The left column, which can be collapsed. On wide screens its state is stored; on small ones it is closed at first on
 * every page.
 */
import { createRef, type ReactNode, useEffect, useEffectEvent } from "react";
import { useLocation } from "react-router";
import { onLink } from "../connection/link.ts";
import type { DrawerProps, DrawerToggleProps } from "../views.ts";
import { reportSight } from "./sight.ts";

const WIDE = "(min-width: 860px)";
const KEPT = "inview.drawer";
const drawer = createRef<HTMLElement>();

const isWide = (): boolean => matchMedia(WIDE).matches;
const isOpen = (): boolean => document.documentElement.dataset.drawer === "open";

function show(state: string): void {
  document.documentElement.dataset.drawer = state;
}

function setDrawer(open: boolean): void {
  const state = open ? "open" : "closed";
  show(state);
  if (isWide()) localStorage.setItem(KEPT, state);
  if (open && !isWide()) drawer.current?.focus({ preventScroll: true }); // the column covers the page
}

export function Drawer({ children, label, onLook }: DrawerProps): ReactNode {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page sets the first state again
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const adapt = () => show(wide.matches ? (localStorage.getItem(KEPT) ?? "open") : "closed");
    adapt();
    wide.addEventListener("change", adapt);
    return () => wide.removeEventListener("change", adapt);
  }, [pathname]);
  const look = useEffectEvent(() => {
    reportSight(isOpen() && document.visibilityState === "visible", (on) => onLook?.(on));
  });
  useEffect(() => {
    const changed = new MutationObserver(() => look());
    changed.observe(document.documentElement, { attributeFilter: ["data-drawer"] });
    const turned = () => look();
    document.addEventListener("visibilitychange", turned);
    const stop = onLink(turned);
    look();
    return () => {
      stop();
      changed.disconnect();
      document.removeEventListener("visibilitychange", turned);
    };
  }, []);
  useEffect(() => {
    const pressed = ({ key, target }: KeyboardEvent) => {
      if (key !== "Escape" || !isOpen() || isWide()) return;
      // In a dialog or a form, Escape closes only that.
      if (!(target instanceof Element && target.closest("dialog, form"))) setDrawer(false);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same */}
      <div className="drawer-shade" onClick={() => setDrawer(false)} />
      <nav className="drawer" aria-label={label} ref={drawer} tabIndex={-1}>
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
