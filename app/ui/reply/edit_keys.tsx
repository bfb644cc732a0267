/** The keys and the focus of the text area of an edited pair. The tab stores the text as `keptAs`; "": not stored. */
import { type KeyboardEvent, type ReactNode, useEffectEvent, useLayoutEffect } from "react";
import { resentHere } from "../kit/connection/sent.ts";
import { EDITED, keepText } from "../kit/texts/kept_text.ts";
import { applyShortcut } from "../kit/texts/writing.ts";
import type { EditKeysProps } from "./views.ts";

const area = () => document.querySelector<HTMLTextAreaElement>(".edit-form textarea"); // one pair is edited at a time

export function EditKeys(props: EditKeysProps): ReactNode {
  const { edit, keptAs, asked, children } = props;
  const wrote = useEffectEvent((text: string) => props.onWrite?.(edit, text));
  const left = useEffectEvent((text: string) => props.onLeave?.(edit, text));
  useLayoutEffect(() => {
    const box = area();
    if (!box) return undefined;
    const endKeeping = keptAs ? keepText(box, EDITED, keptAs) : undefined;
    wrote(box.value);
    return () => {
      endKeeping?.();
      const { activeElement } = document;
      const row = box === activeElement || activeElement === document.body ? box.closest("[data-pair]") : null;
      setTimeout(() => row?.querySelector<HTMLElement>("[data-part]")?.focus());
      left(box.value);
    };
  }, [keptAs]); // each edit is a new component
  useLayoutEffect(() => {
    if (!asked) return;
    area()?.focus();
    area()?.setSelectionRange(-1, -1);
  }, [asked]);
  const pressed = (event: KeyboardEvent) => {
    const { nativeEvent, target: box } = event;
    if (!(box instanceof HTMLTextAreaElement)) return;
    if (event.key === "Escape") {
      props.onEscape?.(edit, box.value);
      box.blur(); // the form disappears after a round trip; text typed meanwhile does not belong to it
    } else if (!applyShortcut(nativeEvent, box)) return;
    event.preventDefault();
  };
  const sent = () => resentHere.set(area()?.closest<HTMLElement>("[data-pair]")?.dataset.pair ?? "");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the form inside, and is no control itself
    <div onKeyDown={pressed} onSubmit={sent}>
      {children}
    </div>
  );
}
