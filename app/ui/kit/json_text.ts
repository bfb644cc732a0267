/**
 * JSON laid out in lines and coloured, character for character what it is but for blanks between its tokens. Pure.
 *
 * layOut('{"a":[1,true]}', 0)  // ['{', '  "a": [', '    1,', '    true', '  ]', '}']
 */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const PIECE = /("(?:[^"\\]|\\.)*")(: )?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g;
const LINES = 60; // in a block that is coloured at once

/** A run of characters with the class of its colour, "" for none. */
export interface Span {
  readonly text: string;
  readonly kind: "" | "hljs-attr" | "hljs-string" | "hljs-literal" | "hljs-number";
}

/** The lines, two blanks a level. The text begins `depth` levels deep. Tokens are taken over as they stand. */
export function layOut(text: string, depth: number): string[] {
  const lines: string[] = [];
  let level = depth;
  let line = "  ".repeat(level);
  const end = () => {
    lines.push(line);
    line = "  ".repeat(Math.max(0, level));
  };
  const tokens = text.match(TOKEN) ?? [];
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") {
      line += token;
      const next = tokens[index + 1];
      level++;
      if (next !== "}" && next !== "]") end();
    } else if (token === "}" || token === "]") {
      const last = tokens[index - 1];
      level--;
      if (last !== "{" && last !== "[") {
        if (line.trim()) end();
        else line = "  ".repeat(Math.max(0, level));
      }
      line += token;
    } else if (token === ",") {
      line += token;
      end();
    } else line += token === ":" ? ": " : token;
  });
  if (line.trim()) lines.push(line);
  return lines;
}

/** Lines in blocks that are coloured one at a time. */
export function inBlocks(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  for (let start = 0; start < lines.length; start += LINES) blocks.push(lines.slice(start, start + LINES));
  return blocks;
}

/** A line in runs of one colour each. */
export function colour(line: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    const [whole, string, colon, word] = match;
    if (match.index > end) spans.push({ text: line.slice(end, match.index), kind: "" });
    if (string !== undefined) {
      spans.push({ text: string, kind: colon ? "hljs-attr" : "hljs-string" });
      if (colon) spans.push({ text: colon, kind: "" });
    } else spans.push({ text: whole, kind: word ? "hljs-literal" : "hljs-number" });
    end = match.index + whole.length;
  }
  if (end < line.length) spans.push({ text: line.slice(end), kind: "" });
  return spans;
}
