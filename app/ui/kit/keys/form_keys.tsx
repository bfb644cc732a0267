/**
 * Keys of a form with a text area: Ctrl+Enter submits it; with `enter`, Enter in the text area too; Escape leaves it.
 * Its keys do not reach the page. The caret starts at the end. The text written for an `edit` survives a reload.
 */
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { keepText } from "../texts/kept_text.ts";
import type { FormKeysProps } from "../views.ts";

export function FormKeys({ enter = false, edit = "", children, onEscape }: FormKeysProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = place.current?.querySelector("textarea");
    box?.setSelectionRange(-1, -1);
    return box && edit ? keepText(box, "inview.form.text", edit) : undefined;
  }, [edit]);
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation();
    const { key, ctrlKey, metaKey, shiftKey, altKey, repeat } = event;
    if (key === "Escape") {
      onEscape?.();
      // The form is removed after a round trip: later keys are not for it. A dialog keeps the focus.
      if (event.target instanceof HTMLElement && !event.target.closest("dialog")) event.target.blur();
    }
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
