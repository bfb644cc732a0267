/**
 * A block of code: its language, a button that copies it, and colours once the highlighter is loaded.
 *
 * The highlighter (lowlight, with the grammars of highlight.js) is fetched when the first block of code appears, the
 * grammars of rarer languages with the first block in one of them. While a block grows, it is coloured at most every
 * `EVERY_MS`; newer text at its end is shown without colours.
 */
import { createElement, type ReactNode, useEffect, useReducer, useRef } from "react";
import { fetchPart } from "../kit/connection/part.ts";
import { CopyButton } from "../kit/controls/copy_button.tsx";
import type { MarkdownWords } from "./views.ts";

const EVERY_MS = 300;
const TOO_LONG = 40_000; // characters; longer code is not coloured, because it takes too much time
const LONG_LINE = /[^\n]{5001}/; // a line this long was not written by a person

type Highlighter = typeof import("./highlight.ts").lowlight;
type Tree = ReturnType<Highlighter["highlight"]>;
let highlighter: Highlighter | null = null;
let fetching: Promise<Highlighter> | null = null;
let learning: Promise<void> | null = null;

async function fetchHighlighter(language: string): Promise<void> {
  fetching ??= fetchPart(() => import("./highlight.ts")).then(({ lowlight }) => lowlight);
  const fetched = await fetching;
  highlighter = fetched;
  if (fetched.registered(language)) return;
  learning ??= fetchPart(() => import("./highlight_others.ts")).then(({ common }) => fetched.register(common));
  await learning;
}

export interface CodeProps {
  text: string;
  language: string;
  open: boolean;
  words: MarkdownWords;
}

export function Code({ text, language, open, words }: CodeProps): ReactNode {
  const coloured = useColoured(text, language, open);
  return (
    <figure className="code">
      <figcaption>
        <span>{language || words.plain}</span>
        <CopyButton
          text={text}
          label={words.copy_code}
          words={words.copy}
          doneWords={words.copied}
          refusedWords={words.copy_refused}
        />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block wider than the page is scrolled by keys */}
      <pre tabIndex={0}>
        <code>{coloured}</code>
      </pre>
    </figure>
  );
}

function useColoured(text: string, language: string, open: boolean): ReactNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const done = useRef<{ text: string; nodes: ReactNode[] | null; at: number }>({ text: "", nodes: null, at: 0 });
  const wanted = Boolean(language) && text.length <= TOO_LONG && !LONG_LINE.test(text);
  useEffect(() => {
    if (wanted && !highlighter?.registered(language)) fetchHighlighter(language).then(redraw);
  }, [wanted, language]);
  if (!wanted || !highlighter?.registered(language)) return text;
  const last = done.current;
  const now = performance.now();
  if (last.text !== text && (!open || now - last.at > EVERY_MS)) {
    const tree = highlighter.highlight(language, text);
    done.current = { text, nodes: elements(tree.children), at: now };
  }
  const { text: covered, nodes } = done.current;
  if (!nodes || !text.startsWith(covered)) return text;
  return [nodes, text.slice(covered.length)];
}

const elements = (nodes: Tree["children"]): ReactNode[] => nodes.map((node, key) => element(node, key));

function element(node: Tree["children"][number], key: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const names = node.properties.className;
  return createElement(
    "span",
    { key, className: Array.isArray(names) ? names.join(" ") : undefined },
    ...elements(node.children),
  );
}
