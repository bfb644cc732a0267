/**
 * JSON laid out in lines and coloured, character for character what it is but for blanks between its tokens. Pure.
 *
 * layOut('{"a":[1,true]}', 0)  // ['{', '  "a": [', '    1,', '    true', '  ]', '}']
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g; // a string that does not end is one all the same
const PIECE = /("[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*)/;
const MAX_INDENT = 40; // levels; what is deeper stands below that
const LINES = 60; // in a block that is coloured at once

/** A run of characters with the class of its colour, "" for none. */
export type Span = Readonly<{ text: string; kind: "" | "hljs-attr" | "hljs-string" | "hljs-literal" | "hljs-number" }>;

/** The lines, two blanks a level. The text begins `depth` levels deep. Tokens are taken over as they stand. */
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

/** Lines in blocks that are coloured one at a time. */
export const inBlocks = (lines: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) => lines.slice(at * LINES, (at + 1) * LINES));

/** A line in runs of one colour each. */
export function colour(line: string): Span[] {
  const runs = line.split(PIECE); // every second one is a piece
  const kindOf = (text: string, next: string | undefined): Span["kind"] => {
    if (text.startsWith('"')) return next?.startsWith(": ") ? "hljs-attr" : "hljs-string";
    return /^[tfn]/.test(text) ? "hljs-literal" : "hljs-number";
  };
  const spans = runs.map((text, at): Span => ({ text, kind: at % 2 ? kindOf(text, runs[at + 1]) : "" }));
  return spans.filter(({ text }) => text);
}
