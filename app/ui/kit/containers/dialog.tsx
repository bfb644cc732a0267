/**
 * The browser's own modal dialog, which is open while it is drawn and keeps the focus. Escape, a click outside it and
 * the elements marked `data-close` close it at once. Python opens a `Dialog`, and is notified of its end when the server
 * is reachable. An island opens a `LocalDialog`, and is notified at once. A popup is placed next to the element `at`,
 * which is scrolled into view; while that element is out of sight, the popup is in the middle of the window. The element
 * marked `data-first` gets the focus first. When the dialog closes, the element that had the focus gets it again. The
 * dialog is scrolled to the element marked `data-shown`.
 *
 * A person may continue a text while a dialog opens, or start to type in the dialog outside its fields. The next space
 * or Enter must then press no button. So letters take the focus from the button until Tab is pressed, and they are
 * written in the composer below the dialog.
 */
import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode, SyntheticEvent } from "react";
import { useLayoutEffect, useRef } from "react";
import { untilOpen } from "../connection/link.ts";
import { isHolding } from "../keys/early.ts";
import { goesOn, isWriting } from "../keys/key_mode.ts";
import { goTo } from "../keys/places.ts";
import type { DialogProps } from "../views.ts";

const PRESSED = "button, a, summary";

export function Dialog({ onClose, ...props }: DialogProps): ReactNode {
  return <LocalDialog {...props} onClose={() => void untilOpen().then(onClose)} />;
}

export function LocalDialog({
  label,
  className = "modal",
  at,
  keys = "",
  onClose,
  onKey,
  children,
}: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null); // the element that had the focus
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    opener.current = document.activeElement;
    const anchor = at === undefined ? null : document.getElementById(at);
    const leave = anchor ? placeAt(anchor) : undefined;
    element.showModal();
    element.querySelector("[data-shown]")?.scrollIntoView();
    // React's autoFocus comes before the dialog is open, and an open dialog focuses its first control.
    element.querySelector<HTMLElement>("[data-first]")?.focus();
    if (isWriting() && document.activeElement?.matches(PRESSED)) element.focus();
    return () => {
      closeTo(element, opener.current);
      leave?.();
    };
  }, [at]);
  const close = () => {
    if (dialog.current) closeTo(dialog.current, opener.current);
    onClose?.();
  };
  const canceled = (event: SyntheticEvent) => {
    event.preventDefault();
    close();
  };
  const pressed = ({ target }: PointerEvent) => {
    if (target === dialog.current) close();
  };
  const clicked = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("[data-close]")) close();
  };
  const typed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
    const presses = target.matches(PRESSED);
    if (key.length === 1 && keys.includes(key)) return onKey?.(key);
    if (key.length === 1 && key !== " " && presses) dialog.current?.focus();
    if (isHolding() || !goesOn(event) || !(target === dialog.current || (presses && key !== " "))) return;
    event.preventDefault();
    goTo("write", key);
  };
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      tabIndex={-1}
      onCancel={canceled}
      onPointerDown={pressed}
      onClick={clicked}
      onKeyDown={typed}
    >
      {children}
    </dialog>
  );
}

/**
 * Close the dialog. The browser gives the focus back to the element that had it, but may leave the caret in a field of
 * the dialog, so that a text field with the focus takes no letters. So the caret goes back, too.
 */
function closeTo(dialog: HTMLDialogElement, opener: Element | null): void {
  if (!dialog.open) return;
  const field = opener instanceof HTMLTextAreaElement || opener instanceof HTMLInputElement ? opener : null;
  const { selectionStart: start, selectionEnd: end } = field ?? { selectionStart: null, selectionEnd: null };
  dialog.close();
  if (start !== null && document.activeElement === field) field?.setSelectionRange(start, end);
}

/** Make the stylesheet place the popup at this element while it is in sight. Returns a function that stops this. */
function placeAt(anchor: HTMLElement): () => void {
  const name = (isInSight: boolean | undefined) =>
    anchor.style.setProperty("anchor-name", isInSight ? "--popup" : "none");
  anchor.scrollIntoView({ block: "nearest" });
  name(true);
  const sight = new IntersectionObserver((seen) => name(seen.at(-1)?.isIntersecting));
  sight.observe(anchor);
  return () => {
    sight.disconnect();
    anchor.style.removeProperty("anchor-name");
  };
}
