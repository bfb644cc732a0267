/**
 * Links to the sections of a long page, and the way to the place that the address names (`/settings#tools`): a section,
 * or something in one that is opened for it.
 *
 * The place, and what stands above it, may still come from the server: it is waited for, and until a person scrolls it is
 * held at the top.
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

/** Go to the element of that id, once it is there, and stay there while what is above it grows. Returns how to let go. */
function hold(id: string): (() => void) | undefined {
  if (!id) return undefined;
  let timer: number | undefined;
  const go = () => document.getElementById(id)?.scrollIntoView();
  const grown = new ResizeObserver(go);
  const come = new MutationObserver(() => arrive());
  const end = () => {
    come.disconnect();
    grown.disconnect();
    clearTimeout(timer);
    for (const hand of HANDS) removeEventListener(hand, end, true);
  };
  const arrive = () => {
    const found = document.getElementById(id);
    const page = found?.closest("[data-scroller]");
    if (!found || !page) return;
    come.disconnect();
    enter(found);
    go();
    for (const part of page.children) grown.observe(part);
    timer = window.setTimeout(end, SETTLES_MS);
  };
  for (const hand of HANDS) addEventListener(hand, end, true);
  come.observe(document.body, { childList: true, subtree: true });
  arrive();
  return end;
}

/** Give it the focus, after opening it where it can be closed. */
function enter(found: HTMLElement): void {
  if (found instanceof HTMLDetailsElement) found.open = true;
  (found.querySelector("summary") ?? found).focus({ preventScroll: true });
}
