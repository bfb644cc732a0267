/**
 * A button that opens a popup at itself, at once. It says what is chosen: on the page of `path` only, where one is
 * named, as Python hears of another page later than the browser.
 */
import { type ReactNode, useId, useState } from "react";
import { useLocation } from "react-router";
import { Dialog } from "./dialog.tsx";
import type { PopupButtonProps } from "./views.ts";

export function PopupButton(props: PopupButtonProps): ReactNode {
  const { label, chosen, none, path, panel, className, onOpen, children } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  const here = useLocation().pathname.replace(/(.)\/$/, "$1");
  const shown = path === undefined || path === here ? chosen : "";
  const press = () => {
    setOpen(true);
    onOpen?.();
  };
  return (
    <>
      <button
        type="button"
        id={id}
        className={className}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`${label}: ${shown || none}`}
        title={label}
        onClick={press}
      >
        <span>{shown || "\u00a0"}</span>
        {children}
      </button>
      {open ? (
        <Dialog label={label} at={id} className="popup" onClose={() => setOpen(false)}>
          {panel}
        </Dialog>
      ) : null}
    </>
  );
}
