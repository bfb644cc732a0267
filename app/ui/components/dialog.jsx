/** The browser's own modal dialog, open for as long as it is drawn: it keeps the focus, and Escape or a click beside it close it. */
import { useLayoutEffect, useRef } from "react";

export function Dialog({ label, className, style, onClose, children }) {
  const dialog = useRef(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element.showModal();
    // React's autoFocus comes before the dialog is open, and an open dialog focuses what it likes.
    element.querySelector("[data-first]")?.focus();
    return () => element.close();
  }, []);
  const closed = (event) => {
    event.preventDefault(); // it goes when it is no longer drawn
    onClose();
  };
  return (
    <dialog ref={dialog} className={className} style={style} aria-label={label} onCancel={closed} onPointerDown={(event) => event.target === dialog.current && onClose()}>
      {children}
    </dialog>
  );
}
