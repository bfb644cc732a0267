/**
 * Finds formulas in Markdown: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` within a line.
 *
 * math.tsx typesets them. Single dollars delimit a formula only by the rules of pandoc: no blank after the opening
 * dollar or in front of the closing one, and no digit after the closing one, so that "$5 and $10" stays money. A dollar
 * after a letter ("US$") opens no formula either. A text is no formula if a sign is in front of the closing dollar and
 * a letter after it ("$HOME/$USER"), or if the words of a sentence are between the dollars.
 * The exported page has the same rules (app/views/export/cjk_and_math.py).
 */
import type { TokenizerExtension } from "marked";

const BLOCK = /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[\s\S])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[\s\S])+?)\\\])[ \t]*(?:\n+|$)/;
const INLINE =
  /^(?:\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$(?![\s$])((?:\\.|[^\\$\n])*?[^\s\\$])\$(?!\d|(?<![\w)}\]'][$])[a-z_{]))/i;
const IS_PROSE = /^[^\\^_=+<>{}|]*[,.;:!?] [a-z]{2}[^\\^_=+<>{}|]*$/; // a sentence between two prices or names
const MAX_LENGTH = 1_200; // characters of a formula, and of the lines above it
const MAX_DEPTH = 60; // of its groups
const MAX_CELLS = 150;
// With commands that it defines itself, a short formula can grow without limit.
const DEFINITION = /\\(?:[egx]?def|(?:future)?let|global|long|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;
const OPENING = /(?<![a-z\d])\$|\\[([]/i;
/** The start of a line that may open a formula as a block. */
export const BLOCK_OPENING = /^ {0,3}(?:\$\$|\\\[)/m;

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

/** True if a formula may be typeset: it is short, not nested deeply, and defines no commands. */
export function isModest(tex: string): boolean {
  let depth = 0;
  let deepest = 0;
  for (const sign of tex) {
    if (sign === "{") deepest = Math.max(deepest, ++depth);
    else if (sign === "}") depth--;
  }
  const isSmall = tex.length <= MAX_LENGTH && deepest <= MAX_DEPTH && tex.split(/&|\\\\/).length <= MAX_CELLS;
  return isSmall && !DEFINITION.test(tex);
}

function reader(
  name: MathToken["type"],
  level: "block" | "inline",
  pattern: RegExp,
  display: (raw: string) => boolean,
): TokenizerExtension {
  return {
    name,
    level,
    start: (source) =>
      level === "inline" ? source.search(OPENING) : source.slice(0, MAX_LENGTH).search(BLOCK_OPENING),
    tokenizer(source): MathToken | undefined {
      const match = pattern.exec(source);
      if (!match || IS_PROSE.test(match[4] ?? "")) return undefined;
      const [raw, ...bodies] = match;
      return { type: name, raw, text: (bodies.find(Boolean) ?? "").trim(), display: display(raw) };
    },
  };
}
