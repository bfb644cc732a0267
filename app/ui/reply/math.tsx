/**
 * Mathematics, set by KaTeX, which is fetched when the first formula appears; until then the source stands there.
 *
 * Not a parser of markdown (math_syntax.ts). A formula KaTeX cannot read stays as it was written, with KaTeX's reason
 * on hover.
 */
import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import { fetchPart } from "../kit/part.ts";

type Typesetter = typeof import("./typeset.ts");
let fetching: Promise<Typesetter> | null = null;

function fetchTypesetter(): Promise<Typesetter> {
  fetching ??= fetchPart(() => import("./typeset.ts"));
  return fetching;
}

export interface FormulaProps {
  tex: string;
  raw: string;
  display: boolean;
}

export const Formula = memo(function Formula({ tex, raw, display }: FormulaProps): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    let current = true;
    fetchTypesetter().then(({ typeset }) => {
      if (current && place.current) setFault(typeset(tex, place.current, display));
    });
    return () => {
      current = false;
    };
  }, [tex, display]);
  return (
    <span ref={place} className={display ? "math display" : "math"} title={fault || undefined}>
      {raw.trim()}
    </span>
  );
});
