/**
 * Markdown text into blocks, a piece at a time: a block that later text can no longer change is read once.
 *
 * Not a renderer (markdown.jsx). CommonMark closes a block for good when another one opens after it, so only the last
 * block, and those before it until a whole line has followed them, are read again as text streams in. While streaming,
 * unfinished **emphasis, links and code of the tail are completed by `remend`; once the text is complete, nothing is.
 */
import { Marked } from "marked";
import remend from "remend";
import { mathExtensions } from "./math_syntax.js";

const marked = new Marked({ gfm: true, breaks: true });
marked.use({ extensions: mathExtensions });
const STREAMING = { linkMode: "text-only", katex: false };

/** All blocks of a complete text, as a reload shows them; `links` changes when the links defined in it do. */
export function readAll(text) {
  const tokens = marked.lexer(withoutReturns(text));
  return { blocks: tokens.filter(isShown), links: Object.entries(tokens.links).map(([name, { href }]) => `${name} ${href}`).join() };
}

/** Reads a growing text: `read` takes all of it so far and returns all its blocks, the closed ones as they were. */
export class BlockReader {
  closed = [];
  end = 0;

  read(text, growing = true) {
    const source = withoutReturns(text);
    let tail = source.slice(this.end);
    let open = marked.lexer(tail);
    const count = closedCount(open, tail);
    if (count) {
      const closing = open.slice(0, count);
      this.closed.push(...closing.filter(isShown));
      this.end += lengthOf(closing);
      tail = source.slice(this.end);
      open = open.slice(count);
    }
    const completed = growing ? remend(tail, STREAMING) : tail;
    if (completed !== tail) open = marked.lexer(completed);
    return [...this.closed, ...open.filter(isShown)];
  }
}

/** How many leading tokens are closed: those before the last block that has a complete first line. */
function closedCount(tokens, source) {
  const lastBreak = source.lastIndexOf("\n");
  let start = lengthOf(tokens);
  for (let i = tokens.length - 1; i > 0; i--) {
    start -= tokens[i].raw.length;
    if (tokens[i].type !== "space" && start <= lastBreak) return i;
  }
  return 0;
}

const lengthOf = (tokens) => tokens.reduce((sum, token) => sum + token.raw.length, 0);
const isShown = (token) => token.type !== "space" && token.type !== "def";
const withoutReturns = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
