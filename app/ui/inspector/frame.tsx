/**
 * The column on the right: next to the page on wide screens, over it on small ones.
 *
 * Once the page is ready, the column takes the focus when it opens or shows another section, and gives the focus back
 * when it closes. If the column is already open when a page is opened, the composer of that page has the focus. If the
 * column covers the page, it closes when a person goes to another page or pair, and after a reload. The column also
 * takes the focus when the window becomes so small that the column covers the page.
 */
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import type { InspectorFrameProps } from "./views.ts";

const OVER_THE_PAGE = "(max-width: 1099px)";

export function InspectorFrame(props: InspectorFrameProps): ReactNode {
  const { section, label, covers, ready, onClose, children } = props;
  const place = useRef<HTMLElement>(null);
  const open = section !== "";
  useEffect(() => {
    if (!open) return undefined;
    const before = document.activeElement;
    const page = document.getElementById(covers);
    const over = matchMedia(OVER_THE_PAGE);
    const own = place.current;
    const adapt = () => {
      if (page) page.inert = over.matches;
    };
    const resized = () => {
      const { activeElement } = document;
      const isCovered = over.matches && (page?.contains(activeElement) || activeElement === document.body);
      adapt();
      if (isCovered && !document.querySelector("dialog:modal")) own?.focus({ preventScroll: true });
    };
    adapt();
    over.addEventListener("change", resized);
    return () => {
      over.removeEventListener("change", resized);
      if (page) page.inert = false;
      const { activeElement } = document;
      const isLost = !activeElement || activeElement === document.body || own?.contains(activeElement);
      if (isLost && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [open, covers]);
  const isReady = useRef(false); // false until the page that was opened is ready
  const { pathname, search } = useLocation();
  const address = pathname + search;
  const shown = useRef(address);
  useEffect(() => {
    const isAnother = shown.current !== address;
    shown.current = address;
    if (section && (isAnother || !isReady.current) && matchMedia(OVER_THE_PAGE).matches) onClose?.();
  }, [address, section, onClose]);
  useEffect(() => {
    if (isReady.current && section && !place.current?.contains(document.activeElement))
      place.current?.focus({ preventScroll: true });
    place.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [section]);
  useEffect(() => {
    isReady.current = ready;
  }, [ready]);
  return (
    <aside id="inspector" className="inspector" aria-label={label} ref={place} tabIndex={-1} hidden={!open}>
      {children}
    </aside>
  );
}
