/** A button that opens a dialog, for example a list of actions, without the server. */
import { type ReactNode, useId, useState } from "react";
import type { MenuButtonProps } from "../views.ts";
import { LocalDialog } from "./dialog.tsx";

export function MenuButton({ label, face, popup, className, children }: MenuButtonProps): ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={className}>
      <button
        type="button"
        id={id}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        {face}
      </button>
      {open ? (
        <LocalDialog label={label} at={id} className={popup} onClose={() => setOpen(false)}>
          {children}
        </LocalDialog>
      ) : null}
    </div>
  );
}
