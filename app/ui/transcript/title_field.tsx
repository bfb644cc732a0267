/**
 * The title above a conversation, as a field: typing renames the conversation.
 *
 * A new title from the server never replaces text that is being typed; leaving the field unchanged renames nothing.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { offer } from "../kit/keys/places.ts";
import type { TitleFieldProps } from "./views.ts";

const MAX_TITLE = 200;

export function TitleField({ title, label, hint, onRename }: TitleFieldProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const before = useRef(title); // the text of the field when it got the focus
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = title;
  }, [title]);
  useEffect(() => {
    const select = () => setTimeout(() => field.current?.select(), 0); // the menu that leads here still has the focus
    return offer({ title: select });
  }, []);
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.currentTarget.blur();
  };
  return (
    <input
      ref={field}
      name="title"
      defaultValue={title}
      onFocus={({ target }) => {
        before.current = target.value;
      }}
      onBlur={({ target }) => {
        if (target.value === before.current) target.value = title;
        else onRename?.(target.value);
      }}
      onKeyDown={pressed}
      dir="auto"
      maxLength={MAX_TITLE}
      autoComplete="off"
      spellCheck={false}
      aria-label={label}
      title={hint}
      className="title-field"
    />
  );
}
