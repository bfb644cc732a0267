/** A block of Mermaid: the image of its diagram or its code, whichever is chosen. What cannot be drawn stays code. */
import { createElement, type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Code, type CodeProps } from "./code.tsx";
import { type Drawing, draw } from "./diagram_frame.ts";

const REST_MS = 200; // a block that still grows is not drawn

export function Diagram(props: CodeProps): ReactNode {
  const { text, words } = props;
  const [isCode, setCode] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const [{ svg, title, fault, reason = "" }, setDrawing] = useState<Drawing>({});
  const isDark = useSyncExternalStore(watchTheme, () => document.documentElement.classList.contains("dark"));
  useEffect(() => {
    let isCurrent = true;
    const rest = setTimeout(() => draw(text, isDark).then((drawn) => isCurrent && setDrawing(drawn)), REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(rest);
    };
  }, [text, isDark]);
  const note = fault && <p className="diagram-fault">{words[fault].replace("{reason}", () => reason)}</p>;
  if (svg === undefined) return <Code {...props} note={note} />;
  const choice = [words.diagram, words.code].map((word, at) => (
    <button key={word} type="button" aria-pressed={isCode === (at === 1)} onClick={() => setCode(at === 1)}>
      {word}
    </button>
  ));
  // An address of data, not of a blob: opened by itself it is a document of no origin, and not one of this server.
  const image = <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={title || words.diagram} />;
  const zoom = { title: words.diagram_zoom, "aria-pressed": isLarge, onClick: () => setLarge(!isLarge) };
  return (
    <Code {...props} choice={<span className="diagram-choice">{choice}</span>}>
      {isCode ? null : createElement("button", { type: "button", className: "diagram", ...zoom }, image)}
    </Code>
  );
}

function watchTheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: ["class"] });
  return () => watch.disconnect();
}
