/**
 * JSON to be read: laid out and coloured, character for character what it is but for blanks between its tokens.
 *
 * Colours are put on what is near the screen only, so that a body of megabytes scrolls like a short one.
 */
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { CopyButton } from "./code.jsx";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const LINES = 60; // in a block that is coloured at once

export function JsonView({ text, label }) {
  const blocks = useMemo(() => inBlocks(laidOut(text)), [text]);
  return (
    <figure className="code json">
      <figcaption>
        <span>json</span>
        <CopyButton text={text} label={label} />
      </figcaption>
      <div className="json-lines">
        {blocks.map((lines, index) => <Block key={index} lines={lines} />)}
      </div>
    </figure>
  );
}

const Block = memo(function Block({ lines }) {
  const place = useRef(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry.isIntersecting && setNear(true), { rootMargin: "600px" });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return <pre ref={place}>{near ? lines.map((line, index) => <div key={index}>{coloured(line)}</div>) : lines.join("\n")}</pre>;
});

/** The lines of JSON, two blanks a level. Tokens are taken over as they stand. */
export function laidOut(text) {
  const lines = [];
  let line = "";
  let depth = 0;
  const end = () => {
    lines.push(line);
    line = "  ".repeat(depth);
  };
  const tokens = text.match(TOKEN) ?? [];
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") {
      line += token;
      if (tokens[index + 1] === "}" || tokens[index + 1] === "]") return;
      depth++;
      end();
    } else if (token === "}" || token === "]") {
      if (tokens[index - 1] !== "{" && tokens[index - 1] !== "[") {
        depth--;
        end();
      }
      line += token;
    } else if (token === ",") {
      line += token;
      end();
    } else line += token === ":" ? ": " : token;
  });
  lines.push(line);
  return lines;
}

function inBlocks(lines) {
  const blocks = [];
  for (let start = 0; start < lines.length; start += LINES) blocks.push(lines.slice(start, start + LINES));
  return blocks;
}

const PIECE = /("(?:[^"\\]|\\.)*")(: )?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;

function coloured(line) {
  const pieces = [];
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    const [whole, string, colon, word] = match;
    if (match.index > end) pieces.push(line.slice(end, match.index));
    const kind = string ? (colon ? "hljs-attr" : "hljs-string") : word ? "hljs-literal" : "hljs-number";
    pieces.push(<span key={match.index} className={kind}>{string ?? whole}</span>, colon ?? "");
    end = match.index + whole.length;
  }
  return [...pieces, line.slice(end)];
}
