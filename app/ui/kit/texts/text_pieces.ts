/**
 * Texts that take a browser long to lay out, split into pieces that are cheap to lay out. Pure.
 *
 * The time grows with the square of a text without breaks: the marks on one letter, the letters of a word in a script
 * whose letters join or that has no blanks, the changes of direction in a paragraph. No character is removed or added:
 * only elements are put between them.
 */

/**
 * Maximum number of marks on one letter, and of letters of one word, that are drawn unchanged. Real texts have far
 * fewer.
 */
export const MOST_MARKS = 64;
export const MOST_LETTERS = 2_000;
/** Maximum number of characters of one text, and of changes of direction in it, that are drawn unchanged. */
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

/**
 * Marks or letters in groups with possible line breaks between them. `size`: number of characters, 0 for normal text.
 */
export interface Part {
  readonly groups: readonly string[];
  readonly size: number;
}

/** Split a text into parts. null: it is drawn unchanged. */
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

/** Split a text into pieces that are laid out near the screen: whole lines, or 2,000 characters of a longer one. */
export function piecesOf(text: string): string[] | null {
  const isLong = text.length > MOST_WHOLE;
  const turns = !isLong && text.length > 2 * MOST_TURNS && (text.match(TURN)?.length ?? 0) > MOST_TURNS;
  return isLong || turns ? text.match(PIECE) : null;
}
