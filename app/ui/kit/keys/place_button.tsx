/**
 * A button that other regions can press by the name of a place (places.ts) while it is enabled. If it has the focus
 * when it is disabled or removed, the composer gets it, unless that would open the keyboard of a phone.
 */
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import type { PlaceButtonProps } from "../views.ts";
import { goTo, offer } from "./places.ts";

export function PlaceButton(props: PlaceButtonProps): ReactNode {
  const { place, label, title, disabled, opensDialog, className, children, onPress } = props;
  const own = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = own.current;
    const hand = () => {
      if (document.activeElement === button && !matchMedia("(pointer: coarse)").matches) goTo("composer");
    };
    if (disabled) hand();
    return hand;
  }, [disabled]);
  const press = useEffectEvent(() => onPress?.());
  useEffect(() => (disabled ? undefined : offer({ [place]: () => press() })), [place, disabled]);
  return (
    <button
      ref={own}
      type="button"
      className={className}
      aria-label={label}
      title={title}
      disabled={disabled}
      aria-haspopup={opensDialog ? "dialog" : undefined}
      onClick={() => onPress?.()}
    >
      {children}
    </button>
  );
}
