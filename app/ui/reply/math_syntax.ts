/**
 * Where mathematics begins and ends in markdown: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` within a line.
 *
 * Not the typesetting (math.tsx). A single dollar is mathematics only where pandoc says so: no blank after the opening
 * one or before the closing one, and no digit after that, so that "$5 and $10" stays money.
 */
import type { TokenizerExtension } from "marked";

const BLOCK = /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[\s\S])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[\s\S])+?)\\\])[ \t]*(?:\n+|$)/;
const INLINE =
  /^(?:\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$(?![\s$])((?:\\.|[^\\$\n])*?[^\s\\$])\$(?!\d))/;
const OPENING = /\$|\\[([]/;
const BLOCK_OPENING = /^ {0,3}(?:\$\$|\\\[)/m;

/** A formula: `text` without its delimiters. */
export interface MathToken {
  type: "math" | "mathBlock";
  raw: string;
  text: string;
  display: boolean;
}

export const mathExtensions: TokenizerExtension[] = [
  reader("mathBlock", "block", BLOCK, () => true),
  reader("math", "inline", INLINE, (raw) => raw.startsWith("$$") || raw.startsWith("\\[")),
];

function reader(
  name: MathToken["type"],
  level: "block" | "inline",
  pattern: RegExp,
  display: (raw: string) => boolean,
): TokenizerExtension {
  return {
    name,
    level,
    start: (source) => positionOf(level === "inline" ? OPENING : BLOCK_OPENING, source),
    tokenizer(source): MathToken | undefined {
      const match = pattern.exec(source);
      if (!match) return undefined;
      const [raw, ...bodies] = match;
      return { type: name, raw, text: (bodies.find(Boolean) ?? "").trim(), display: display(raw) };
    },
  };
}

function positionOf(pattern: RegExp, source: string): number | undefined {
  const at = source.search(pattern);
  return at < 0 ? undefined : at;
}
