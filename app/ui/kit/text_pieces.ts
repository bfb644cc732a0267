/**
 * Texts that take a browser long to lay out, in pieces that it lays out cheaply. Pure.
 *
 * Time grows with the square of what has no break: the marks on one letter, the letters of a word in a script whose
 * letters join or that sets no blanks, the changes of direction in a paragraph. Nothing is left out, and no character
 * is added: only elements come between.
 */

/** Marks on one letter, and letters of one word, that are drawn as ever. The most that people write is far below. */
export const MOST_MARKS = 64;
export const MOST_LETTERS = 2_000;
/** Characters of one text, and changes of direction in it, that are drawn as ever. */
export const MOST_WHOLE = 40_000;
export const MOST_TURNS = 1_000;
const GROUP = 64;
const PIECE = /[\s\S]{0,1999}\n|[\s\S]{1,2000}\n?/g;

const MARK = String.raw`[\p{M}\u200c\u200d\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]`;
const LETTER = String.raw`[\u0590-\u109f\u1200-\u1dff\u200c\u200d\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{11fff}]`;
const HEAP = `(?<!${MARK})${MARK}{${MOST_MARKS + 1},}|^${MARK}{9,}`; // marks at the start may belong to the text before
const HEAPS = new RegExp(`${HEAP}|(?<!${LETTER})${LETTER}{${MOST_LETTERS + 1},}`, "gu");
const GROUPS = new RegExp(`[\\s\\S]{1,${GROUP}}${MARK}{0,16}`, "gu");
const TURN = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]\W?(?=[a-z])/gi;

/** A heap of marks or letters in groups between which a line may be broken. `size`: its characters, 0 for no heap. */
export interface Part {
  readonly groups: readonly string[];
  readonly size: number;
}

/** The text in parts. null: it is drawn as ever. */
export function partsOf(text: string): Part[] | null {
  if (text.length < 9) return null;
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: heap, index } of text.matchAll(HEAPS)) {
    if (index > end) parts.push({ groups: [text.slice(end, index)], size: 0 });
    parts.push({ groups: heap.match(GROUPS) ?? [], size: [...heap].length });
    end = index + heap.length;
  }
  if (!parts.length) return null;
  if (end < text.length) parts.push({ groups: [text.slice(end)], size: 0 });
  return parts;
}

/** The text in pieces that are laid out as they come near the screen: whole lines, or 2,000 characters of a longer one. */
export function piecesOf(text: string): string[] | null {
  const isLong = text.length > MOST_WHOLE;
  const turns = !isLong && text.length > 2 * MOST_TURNS && (text.match(TURN)?.length ?? 0) > MOST_TURNS;
  return isLong || turns ? text.match(PIECE) : null;
}
