/** A button that other regions can press by the name of a place (places.ts), for as long as it can be pressed. */
import { type ReactNode, useEffect, useEffectEvent } from "react";
import { offer } from "./places.ts";
import type { PlaceButtonProps } from "./views.ts";

export function PlaceButton(props: PlaceButtonProps): ReactNode {
  const { place, label, title, disabled, opensDialog, className, children, onPress } = props;
  const press = useEffectEvent(() => onPress?.());
  useEffect(() => (disabled ? undefined : offer({ [place]: () => press() })), [place, disabled]);
  const about = { "aria-label": label, title, disabled, "aria-haspopup": opensDialog ? "dialog" : undefined } as const;
  return (
    <button type="button" className={className} {...about} onClick={() => onPress?.()}>
      {children}
    </button>
  );
}
