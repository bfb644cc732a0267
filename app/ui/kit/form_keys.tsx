/** Keys of a form with a text area: Ctrl+Enter submits it, Escape leaves it. No other key of it reaches the page. */
import type { KeyboardEvent, ReactNode } from "react";
import type { FormKeysProps } from "./views.ts";

export function FormKeys({ children, onEscape }: FormKeysProps): ReactNode {
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onEscape?.();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.querySelector("form")?.requestSubmit();
    }
  };
  // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the fields inside, and is none itself
  return <div onKeyDown={pressed}>{children}</div>;
}
