/** Puts what it is given into a row of the window: after the request of a pair, after its reply, before all pairs. */
import { type ReactNode, type RefObject, useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";
import type { TranscriptWindowProps } from "./views.ts";

interface LineProps extends Pick<TranscriptWindowProps, "line" | "linePlace" | "linePair"> {
  readonly box: RefObject<Element | null>;
  /** Changes when other rows are in the document. */
  readonly drawn: string;
}

export function Line({ line, linePlace, linePair, box, drawn }: LineProps): ReactNode {
  const [slot, setSlot] = useState<Element | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows come and go
  useLayoutEffect(() => setSlot(slotIn(box.current, linePlace, linePair)), [box, linePlace, linePair, drawn]);
  return slot ? createPortal(line, slot) : null;
}

function slotIn(box: Element | null, place: string, pair: string): Element | null {
  if (!box || !place) return null;
  const row = pair ? box.querySelector(`[data-pair="${CSS.escape(pair)}"]`) : null;
  if (row) return place === "request" ? row.querySelector(".cache-slot") : row;
  return place === "system" ? box.querySelector("[data-pair]") : null;
}
