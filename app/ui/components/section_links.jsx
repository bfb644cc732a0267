/**
 * Links to the sections of a long page, and the way to the one that the address names (`/settings#tools`).
 *
 * What stands above a section may still come from the server: until a person scrolls, the section is held at the top.
 * It is the page's own scroller that moves; a browser by itself would shift the whole frame.
 */
import { useEffect } from "react";
import { Link, useLocation } from "react-router";

const SETTLES_MS = 3_000;
const HANDS = ["wheel", "touchstart", "pointerdown", "keydown"];

/** `sections`: [{id, name}] of elements on the page. */
export function SectionLinks({ sections, label }) {
  const { hash, key } = useLocation();
  useEffect(() => hold(decodeURIComponent(hash.slice(1))), [hash, key]);
  return (
    <nav className="section-links" aria-label={label}>
      {sections.map(({ id, name }) => <Link key={id} to={`#${id}`} replace>{name}</Link>)}
    </nav>
  );
}

/** Go to the element of that id and stay there while what is above it grows; gives back how to let go. */
function hold(id) {
  const found = id ? document.getElementById(id) : null;
  const page = found?.closest("[data-scroller]");
  if (!page) return undefined;
  const go = () => page.scrollTo({ top: found.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop - 8 });
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
