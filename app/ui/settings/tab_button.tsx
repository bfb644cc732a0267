/**
 * A button that opens a tab and loads an address in it that is known only later.
 *
 * Browsers let a page open a tab only during a press, so it is opened empty. It is closed again if no address comes,
 * and not opened at all while the server is unreachable.
 */
import { type ReactNode, useEffect, useRef } from "react";
import { currentLink } from "../kit/connection/link.ts";
import type { TabButtonProps } from "./views.ts";

export function TabButton({ shown, asking, address, className, onOpen, children }: TabButtonProps): ReactNode {
  const tab = useRef<Window | null>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (!tab.current) return;
    if (address) {
      tab.current.opener = null; // the page at that address must not reach this one
      tab.current.location.href = address;
      tab.current = null;
    } else if (asked.current && !asking) {
      tab.current.close();
      tab.current = null;
    }
    asked.current = asking;
  }, [address, asking]);
  const open = () => {
    tab.current?.close();
    tab.current = currentLink() === "open" ? window.open("", "_blank") : null;
    asked.current = false;
    onOpen?.(tab.current !== null);
  };
  if (!shown) return null;
  return (
    <button type="button" className={className} onClick={open}>
      {children}
    </button>
  );
}
