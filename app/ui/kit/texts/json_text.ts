/**
 * JSON with line breaks and colours. No character changes except white space between its tokens. Pure.
 *
 * layOut('{"a":[1,true]}', 0)  // ['{', '  "a": [', '    1,', '    true', '  ]', '}']
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g; // an unfinished string is a token too
const PIECE = /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*)/;
const MAX_INDENT = 40; // levels; deeper ones have the same indent
const LINES = 60; // in a block, which is coloured at once

/** A run of characters with the class of its colour, "" for none. */
export interface Span {
  readonly text: string;
  readonly kind: "" | "hljs-attr" | "hljs-string" | "hljs-literal" | "hljs-number";
}

/** Return the lines, indented by two blanks a level. The text begins `depth` levels deep. Tokens do not change. */
export function layOut(text: string, depth: number): string[] {
  const lines: string[] = [];
  let level = depth;
  let line = "";
  const add = (token: string) => {
    line ||= "  ".repeat(Math.min(Math.max(0, level), MAX_INDENT));
    line += token;
  };
  const end = () => {
    if (line) lines.push(line);
    line = "";
  };
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    const opened = last === "{" || last === "[";
    if (opened ? !closes : closes || last === ",") end();
    if (closes) level--;
    add(token === ":" ? ": " : token);
    if (token === "{" || token === "[") level++;
    last = token;
  }
  end();
  return lines;
}

/** Group lines into blocks that are coloured one at a time. */
export const inBlocks = (lines: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) => lines.slice(at * LINES, (at + 1) * LINES));

/** Split a line into runs of one colour each. */
export function colour(line: string): Span[] {
  const runs = line.split(PIECE); // every second one matches PIECE
  const kindOf = (text: string, next: string | undefined): Span["kind"] => {
    if (text.startsWith('"')) return next?.startsWith(": ") ? "hljs-attr" : "hljs-string";
    return /^[tfn]/.test(text) ? "hljs-literal" : "hljs-number";
  };
  const spans = runs.map((text, at): Span => ({ text, kind: at % 2 ? kindOf(text, runs[at + 1]) : "" }));
  return spans.filter(({ text }) => text);
}
