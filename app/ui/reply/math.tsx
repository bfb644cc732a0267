/**
 * Formulas, typeset by KaTeX, which is fetched when the first formula appears. Until then the source is shown.
 *
 * math_syntax.ts finds formulas in Markdown. If a formula is refused or KaTeX cannot read it, its source remains, with
 * the reason on hover.
 */
import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import { fetchPart } from "../kit/connection/part.ts";
import { isModest } from "./math_syntax.ts";

const SLICE_MS = 8;
let fetching: Promise<typeof import("./typeset.ts")> | null = null;
const waiting: (() => void)[] = [];

/** Typeset formulas one after the other, and yield to the other work of the tab in between. */
function setNext(): void {
  const until = performance.now() + SLICE_MS;
  try {
    while (waiting.length && performance.now() < until) waiting.shift()?.();
  } finally {
    if (waiting.length) setTimeout(setNext);
  }
}

export interface FormulaProps {
  tex: string;
  raw: string;
  display: boolean;
  refusal: string;
}

export const Formula = memo(function Formula({ tex, raw, display, refusal }: FormulaProps): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    let current = true;
    setFault(isModest(tex) ? "" : refusal);
    if (isModest(tex)) {
      fetching ??= fetchPart(() => import("./typeset.ts"));
      fetching.then(({ typeset }) => {
        const set = () => current && place.current && setFault(typeset(tex, place.current, display));
        if (waiting.push(set) === 1) setTimeout(setNext);
      });
    }
    return () => {
      current = false;
    };
  }, [tex, display, refusal]);
  return (
    <span ref={place} className={display ? "math display" : "math"} title={fault || undefined}>
      {raw.trim()}
    </span>
  );
});
