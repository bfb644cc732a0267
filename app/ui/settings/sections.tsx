/**
 * The sections of a page, one at a time: the one that the address names (`/settings#tools`), or that contains the
 * element that the address names (`/settings#provider-openai`). Without either it is the first.
 *
 * The named element, and the content above it, may still be loading. The page waits for the element, opens it, and
 * keeps it at the top until a person scrolls.
 */
import { Children, type MouseEvent, type ReactNode, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { SectionsProps } from "./views.ts";

const SETTLES_MS = 3_000;
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"];

export function Sections({ label, links, className, children }: SectionsProps): ReactNode {
  const [shown, show] = useState(links[0]?.id ?? "");
  const [target, go] = useState({ id: "", visit: 0 });
  useEffect(() => {
    const moved = () => go(({ visit }) => ({ id: decodeURIComponent(location.hash.slice(1)), visit: visit + 1 }));
    moved();
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => (target.id ? hold(target.id, show) : undefined), [target]);
  const clicked = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { hash } = event.currentTarget;
    if (hash !== location.hash) history.pushState(history.state, "", hash);
    go(({ visit }) => ({ id: hash.slice(1), visit: visit + 1 }));
  };
  return (
    <div className={className}>
      <nav aria-label={label}>
        {links.map(({ id, name }) => (
          <a key={id} href={`#${id}`} aria-current={id === shown ? "page" : undefined} onClick={clicked}>
            {name}
          </a>
        ))}
      </nav>
      {Children.toArray(children).map((section, at) => {
        const id = links[at]?.id ?? "";
        return (
          <div key={id} data-section={id} hidden={id !== shown}>
            {section}
          </div>
        );
      })}
    </div>
  );
}

/**
 * Show the section of the element with this id when the element exists, and scroll to it. It stays in view while the
 * content above it grows. Returns a function that ends this.
 */
function hold(id: string, show: (section: string) => void): () => void {
  let timer: number | undefined;
  const go = () => {
    const found = document.getElementById(id);
    if (found?.closest<HTMLElement>("[data-section]")?.dataset.section === id) topOf(found);
    else found?.scrollIntoView();
  };
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
    const section = found?.closest<HTMLElement>("[data-section]");
    if (!found || !section) return;
    come.disconnect();
    timer = window.setTimeout(end, SETTLES_MS);
    requestAnimationFrame(() => {
      flushSync(() => show(section.dataset.section ?? "")); // a hidden element takes no focus
      enter(found);
      go();
      grown.observe(section);
    });
  };
  for (const hand of HANDS) addEventListener(hand, end, true);
  come.observe(document.body, { childList: true, subtree: true });
  arrive();
  return end;
}

/** Scroll to the top of the page, above its navigation. */
function topOf(found: HTMLElement): void {
  found.closest("[data-scroller]")?.scrollTo(0, 0);
}

/** Open the element and everything that it is collapsed in, and focus it. */
function enter(found: HTMLElement): void {
  for (let part: HTMLElement | null = found; part; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  (found.querySelector("summary") ?? found).focus({ preventScroll: true });
}
