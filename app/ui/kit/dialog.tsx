/**
 * The browser's own modal dialog, open for as long as it is drawn: it keeps the focus. Escape, a click beside it and
 * the elements marked `data-close` close it at once; Python is told when it can be. The element marked `data-first` has
 * the focus first, and whatever had it before has it again in the end. The one marked `data-shown` is scrolled to.
 */
import type { KeyboardEvent, MouseEvent, PointerEvent, ReactNode, SyntheticEvent } from "react";
import { useLayoutEffect, useRef } from "react";
import { untilOpen } from "./link.ts";
import type { DialogProps } from "./views.ts";

export function Dialog(props: DialogProps): ReactNode {
  const { label, className = "modal", at, keys = "", onClose, onKey, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return undefined;
    const anchor = at === undefined ? null : document.getElementById(at);
    anchor?.style.setProperty("anchor-name", "--popup"); // the stylesheet places it there
    element.showModal();
    element.querySelector("[data-shown]")?.scrollIntoView();
    // React's autoFocus comes before the dialog is open, and an open dialog focuses what it likes.
    element.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => {
      element.close();
      anchor?.style.removeProperty("anchor-name");
    };
  }, [at]);
  const close = () => {
    dialog.current?.close();
    untilOpen().then(onClose);
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
  const typed = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (keys.split(" ").includes(key) && !ctrlKey && !metaKey && !altKey) onKey?.(key);
  };
  const acts = { onCancel: canceled, onPointerDown: pressed, onClick: clicked, onKeyDown: typed };
  return (
    <dialog ref={dialog} className={className} aria-label={label} {...acts}>
      {children}
    </dialog>
  );
}
