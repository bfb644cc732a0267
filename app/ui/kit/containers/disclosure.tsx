/**
 * Content that is shown when its summary is pressed. Hidden content is not drawn: it may be long and is rarely read.
 */
import { type ReactNode, type SyntheticEvent, useEffect, useEffectEvent, useState } from "react";
import { untilOpen } from "../connection/link.ts";
import type { DisclosureProps } from "../views.ts";

export function Disclosure(props: DisclosureProps): ReactNode {
  const { summary, status, missing, opened = false, className, onNeed, onFold, children } = props;
  const [open, setOpen] = useState(opened);
  const need = useEffectEvent(() => onNeed?.());
  useEffect(() => {
    if (open && missing) untilOpen().then(() => need());
  }, [open, missing]);
  const toggled = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => {
    if (open && !currentTarget.open) untilOpen().then(onFold);
    setOpen(currentTarget.open);
  };
  return (
    <details className={className} data-state={status} open={open} onToggle={toggled}>
      <summary>{summary}</summary>
      {open ? children : null}
    </details>
  );
}
