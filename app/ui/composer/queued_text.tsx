/**
 * A text that waits, while it is edited: Enter gives it back, Escape and a reset leave it. What is not finished is kept
 * as a draft of its own.
 */
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { currentLink } from "../kit/link.ts";
import { texts } from "./drafts.ts";
import type { QueuedTextProps } from "./views.ts";

export function QueuedText(props: QueuedTextProps): ReactNode {
  const { draft: id, text, label, lasting, className, children, onSave, onLeave } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!box.current) return;
    box.current.value = texts.read(id) || text;
    box.current.focus();
  }, [id, text]);
  const keep = (draft: string) => texts.write(id, draft, lasting);
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey, altKey, repeat, currentTarget, nativeEvent } = event;
    if (nativeEvent.isComposing || !((key === "Enter" && !shiftKey && !altKey) || key === "Escape")) return;
    event.preventDefault();
    if (repeat) return;
    if (key === "Escape") currentTarget.form?.reset();
    else currentTarget.form?.requestSubmit();
  };
  const submitted = (event: FormEvent) => {
    event.preventDefault();
    if (currentLink() !== "lost") keep("");
    onSave?.(box.current?.value ?? "");
  };
  const left = () => {
    keep("");
    onLeave?.();
  };
  return (
    <form className={className} onSubmit={submitted} onReset={left}>
      <textarea
        ref={box}
        rows={2}
        aria-label={label}
        onKeyDown={pressed}
        onInput={({ currentTarget }) => keep(currentTarget.value)}
      />
      {children}
    </form>
  );
}
