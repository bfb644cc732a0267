/**
 * Links to the sections of a long page, and the way to the one that the address names (`/settings#tools`).
 *
 * What stands above a section may still come from the server: until a person scrolls, the section is held at the top.
 */
import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import type { SectionLinksProps } from "./views.ts";

const SETTLES_MS = 3_000;
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"];

export function SectionLinks({ label, className, children }: SectionLinksProps): ReactNode {
  const letGo = useRef<() => void>(undefined);
  const go = (hash: string) => {
    letGo.current?.();
    letGo.current = hold(decodeURIComponent(hash.slice(1)));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the address that the page was opened with
  useEffect(() => {
    const moved = () => go(location.hash);
    moved();
    addEventListener("hashchange", moved);
    return () => {
      removeEventListener("hashchange", moved);
      letGo.current?.();
    };
  }, []);
  const clicked = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(history.state, "", link.hash);
    go(link.hash);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: it is links that are clicked, also by keys
    <nav className={className} aria-label={label} onClick={clicked}>
      {children}
    </nav>
  );
}

/** Go to the element of that id and stay there while what is above it grows. Returns how to let go. */
function hold(id: string): (() => void) | undefined {
  const found = id ? document.getElementById(id) : null;
  const page = found?.closest("[data-scroller]");
  if (!found || !page) return undefined;
  const go = () => found.scrollIntoView();
  const grown = new ResizeObserver(go);
  const end = () => {
    grown.disconnect();
    clearTimeout(timer);
    for (const hand of HANDS) removeEventListener(hand, end, true);
  };
  const timer = setTimeout(end, SETTLES_MS);
  for (const hand of HANDS) addEventListener(hand, end, true);
  for (const part of page.children) grown.observe(part);
  found.focus({ preventScroll: true });
  go();
  return end;
}
