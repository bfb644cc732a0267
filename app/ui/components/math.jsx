/**
 * Mathematics, set by KaTeX, which is fetched when the first formula appears; until then the source stands there.
 *
 * Not a parser of markdown (math_syntax.js). A formula KaTeX cannot read stays as it was written, with the reason on hover.
 */
import { memo, useEffect, useRef, useState } from "react";
import { fetchPart } from "./lazy.js";

let fetching = null;
const fetchTypesetter = () => (fetching ??= fetchPart(() => import("./typeset.js")));

export const Math = memo(function Math({ tex, raw, display }) {
  const place = useRef(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    let current = true;
    fetchTypesetter().then(({ typeset }) => current && setFault(typeset(tex, place.current, display)));
    return () => (current = false);
  }, [tex, display]);
  return <span ref={place} className={display ? "math display" : "math"} title={fault || undefined}>{raw.trim()}</span>;
});
