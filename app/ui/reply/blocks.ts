/**
 * Markdown text into blocks, a piece at a time: a block that later text can no longer change is read once.
 *
 * Not a renderer (markdown.tsx). CommonMark closes a block for good when another one opens after it, so only the last
 * block, and those before it until a whole line has followed them, are read again as text streams in. While streaming,
 * unfinished **emphasis, links and code at the end are completed by `remend`; once the text is complete, nothing is.
 */
import { Marked, type Token } from "marked";
import remend from "remend";
import { mathExtensions } from "./math_syntax.ts";

const marked = new Marked({ gfm: true, breaks: true });
marked.use({ extensions: mathExtensions });
const STREAMING = { linkMode: "text-only", katex: false } as const;

/** The blocks of a text. `links` changes when the links defined in it do. */
export interface Blocks {
  blocks: Token[];
  links: string;
}

/** All blocks of a complete text, as a reload shows them. */
export function readAll(text: string): Blocks {
  const tokens = marked.lexer(withoutReturns(text));
  const links = Object.entries(tokens.links).map(([name, { href }]) => `${name} ${href}`);
  return { blocks: tokens.filter(isShown), links: links.join() };
}

/** Reads a growing text: `read` takes all of it so far and returns all its blocks, the closed ones as they were. */
export class BlockReader {
  private readonly closed: Token[] = [];
  private end = 0;

  read(text: string, growing = true): Token[] {
    const source = withoutReturns(text);
    let tail = source.slice(this.end);
    let open: Token[] = marked.lexer(tail);
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
function closedCount(tokens: readonly Token[], source: string): number {
  const lastBreak = source.lastIndexOf("\n");
  let start = lengthOf(tokens);
  for (const [at, token] of [...tokens.entries()].reverse()) {
    if (at === 0) break;
    start -= token.raw.length;
    if (token.type !== "space" && start <= lastBreak) return at;
  }
  return 0;
}

const lengthOf = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + token.raw.length, 0);
const isShown = (token: Token): boolean => token.type !== "space" && token.type !== "def";
const withoutReturns = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
