/** JSON to read. Only the lines near the screen are coloured, so that a long text scrolls like a short one. */
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { JsonLinesProps } from "../views.ts";
import { colour, inBlocks, layOut } from "./json_text.ts";

export function JsonLines({ text, depth = 0, plain = false }: JsonLinesProps): ReactNode {
  const blocks = useMemo(() => inBlocks(plain ? [text] : layOut(text, depth)), [text, depth, plain]);
  return (
    <div className="json-lines" data-plain={plain || undefined}>
      {blocks.map((lines, index) => (
        <Block key={index} lines={lines} coloured={!plain} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ lines, coloured }: { lines: readonly string[]; coloured: boolean }): ReactNode {
  const place = useRef<HTMLPreElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!place.current || !coloured) return undefined;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: "600px",
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [coloured]);
  return (
    <pre ref={place}>{near ? lines.map((line, index) => <div key={index}>{drawn(line)}</div>) : lines.join("\n")}</pre>
  );
});

const drawn = (line: string): ReactNode[] =>
  colour(line).map(({ text, kind }, index) => (
    <span key={index} className={kind || undefined}>
      {text}
    </span>
  ));
