/**
 * A block of code: its language, a button that copies it, and colours once the highlighter is there.
 *
 * Not an editor. The highlighter (lowlight, the grammars of highlight.js) is fetched when the first block of code
 * appears. While a block grows it is coloured at most every `EVERY_MS`; what came since stands plain at its end.
 */
import { createElement, memo, useEffect, useReducer, useRef, useState } from "react";
import { fetchPart } from "./lazy.js";

const EVERY_MS = 300;
const TOO_LONG = 60_000; // characters; beyond, colours cost more than they give

let highlighter = null;
let fetching = null;
const fetchHighlighter = () =>
  (fetching ??= fetchPart(() => import("./highlight.js")).then((module) => (highlighter = module.highlight)));

export function Code({ text, language, open }) {
  const coloured = useColoured(text, language, open);
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{coloured}</code>
      </pre>
    </figure>
  );
}

function useColoured(text, language, open) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  const done = useRef({ text: "", nodes: null, at: 0 });
  const wanted = Boolean(language) && text.length <= TOO_LONG;
  useEffect(() => {
    if (wanted && !highlighter) fetchHighlighter().then(redraw);
  }, [wanted]);
  if (!wanted || !highlighter) return text;
  const last = done.current;
  const now = performance.now();
  if (last.text !== text && (!open || now - last.at > EVERY_MS)) {
    const tree = highlighter(text, language);
    done.current = { text, nodes: tree && elements(tree.children), at: now };
  }
  const { text: covered, nodes } = done.current;
  if (!nodes || !text.startsWith(covered)) return text;
  return [nodes, text.slice(covered.length)];
}

const elements = (nodes) =>
  nodes.map((node, key) =>
    node.type === "text"
      ? node.value
      : createElement("span", { key, className: node.properties.className.join(" ") }, ...elements(node.children)),
  );

/** Copies a text; says so for two seconds. `words` are what stands on it, `label` what it is called. */
export const CopyButton = memo(function CopyButton({ text, label, words = "Copy" }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(setSaid, 2000, "");
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed to copy"),
    );
  return (
    <button type="button" className="copy" onClick={copy} aria-label={label} title={label}>
      <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" aria-hidden="true">
        {said ? <path d="m3 8.5 3.2 3.2L13 4.8" strokeLinecap="round" /> : <path d="M6 5.5h7v8H6zM10 5.5v-3H3v8h3" />}
      </svg>
      <span aria-live="polite">{said || words}</span>
    </button>
  );
});
