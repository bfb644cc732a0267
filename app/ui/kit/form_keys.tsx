/**
 * Keys of a form with a text area: Ctrl+Enter submits it, with `enter` Enter alone does while one writes; Escape leaves
 * it. No other key of it reaches the page. The caret begins at the end.
 */
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import type { FormKeysProps } from "./views.ts";

export function FormKeys({ enter = false, children, onEscape }: FormKeysProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.querySelector("textarea")?.setSelectionRange(-1, -1), []);
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation();
    const { key, ctrlKey, metaKey, shiftKey, altKey, repeat } = event;
    if (event.nativeEvent.isComposing) return;
    if (key === "Escape") onEscape?.();
    const alone = enter && event.target instanceof HTMLTextAreaElement && !shiftKey && !altKey;
    if (key === "Enter" && (ctrlKey || metaKey || alone)) {
      event.preventDefault();
      if (!repeat) event.currentTarget.querySelector("form")?.requestSubmit();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the fields inside, and is none itself
    <div ref={place} onKeyDown={pressed}>
      {children}
    </div>
  );
}
