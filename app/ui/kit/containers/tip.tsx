/**
 * A button that shows a panel on hover, focus and tap. The panel may contain controls. It is a popover, so no region of
 * the page cuts it off; the stylesheet places it at the button, within the window.
 */
import type { FocusEvent, KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { oversize, useOutdated } from "../connection/edition.ts";
import type { TipProps } from "../views.ts";

const show = (popover: HTMLDivElement | null): void => popover?.showPopover();

export function Tip(props: TipProps): ReactNode {
  const { label, panel, panelLabel, above, short, about, className, children } = props;
  const isOld = useOutdated(props.edition);
  const size = oversize.use();
  const uncounted = size ? props.largeLabel?.replace("{count}", size.toLocaleString()) : undefined;
  const look = useEffectEvent(() => props.onLook?.());
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const pressed = useRef(""); // the pointer type: a press also moves the focus, and its click decides the effect
  const entered = useRef(false); // a tip that appears under a resting pointer must not open
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is sent again when the subject changes
  useEffect(() => {
    if (open) look();
  }, [open, about]);
  const isWithin = (node: EventTarget | null) => node instanceof Node && place.current?.contains(node) === true;

  const moved = ({ pointerType }: PointerEvent) => {
    if (entered.current && pointerType === "mouse") setOpen(true);
    entered.current = false;
  };
  const left = ({ pointerType }: PointerEvent) => {
    if (pointerType === "mouse" && !isWithin(document.activeElement)) setOpen(false);
  };
  const focused = () => {
    if (!pressed.current) setOpen(true);
  };
  const blurred = ({ relatedTarget }: FocusEvent) => {
    if (!isWithin(relatedTarget)) setOpen(false);
  };
  const typed = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
  };
  const clicked = () => {
    setOpen(pressed.current !== "touch" || !open);
    pressed.current = "";
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes events of the button and the panel
    <div
      className="tip"
      ref={place}
      onPointerEnter={() => {
        entered.current = true;
      }}
      onPointerMove={moved}
      onPointerLeave={left}
      onFocus={focused}
      onBlur={blurred}
      onKeyDown={typed}
    >
      <button
        type="button"
        className={className}
        id={`${id}-figure`}
        aria-labelledby={`${id}-figure ${id}-label`}
        aria-expanded={open}
        aria-controls={id}
        data-short={(short && !uncounted) || undefined}
        data-old={(isOld && !uncounted) || undefined}
        onPointerDown={({ pointerType }) => {
          pressed.current = pointerType;
        }}
        onClick={clicked}
      >
        {uncounted ? props.large : children}
        {/* The blank separates the words in the name that a screen reader reads. */}
        {isOld && !uncounted ? (
          <>
            {" "}
            <span className="tip-old">{props.old}</span>
          </>
        ) : null}
      </button>
      {open ? (
        <div className="tip-place" popover="manual" ref={show} data-above={above || undefined}>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
          <div className="tip-panel" id={id} role="group" aria-label={panelLabel}>
            {uncounted ? <p>{uncounted}</p> : panel}
          </div>
        </div>
      ) : null}
      <span id={`${id}-label`} hidden>
        {uncounted ?? (isOld ? props.oldLabel : label)}
      </span>
    </div>
  );
}
