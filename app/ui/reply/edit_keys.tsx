/** Keys and focus of the text area of the pair that is edited; what is written is kept in the tab as `keptAs`, if at all. */
import { type KeyboardEvent, type ReactNode, useEffectEvent, useLayoutEffect } from "react";
import { EDITED, keepText } from "../kit/kept_text.ts";
import { applyShortcut } from "../kit/writing.ts";
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
  }, [keptAs]); // another edit is another component
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
      box.blur(); // the form goes after a round trip: what is typed meanwhile is no longer for it
    } else if (!applyShortcut(nativeEvent, box)) return;
    event.preventDefault();
  };
  // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the form inside, and is none itself
  return <div onKeyDown={pressed}>{children}</div>;
}
