/** Where a long text is folded: how much of it is shown at first. Pure. */

const MOST_LINES = 14; // a longer text is folded
const MOST_CHARS = 1_500;
const SHOWN_LINES = 8; // of a folded text
const SHOWN_CHARS = 600;

/** The number of characters of a text that are shown at first; 0: all, because it is short. */
export function foldAt(text: string): number {
  const ends = lineEnds(text, MOST_LINES);
  if (text.length <= MOST_CHARS && ends.length < MOST_LINES) return 0;
  const end = ends[SHOWN_LINES - 1] ?? text.length;
  if (end <= SHOWN_CHARS) return end;
  const head = text.slice(0, SHOWN_CHARS);
  const blank = head.search(/\s\S*$/u) + 1;
  if (blank > SHOWN_CHARS / 2) return blank;
  return /[\ud800-\udbff]$/.test(head) ? SHOWN_CHARS - 1 : SHOWN_CHARS; // not in the middle of a character
}

/** The places after the first line breaks, at most `most` of them. A line break at the end of the text does not count. */
function lineEnds(text: string, most: number): number[] {
  const ends: number[] = [];
  for (
    let at = text.indexOf("\n");
    at >= 0 && at < text.length - 1 && ends.length < most;
    at = text.indexOf("\n", at + 1)
  )
    ends.push(at + 1);
  return ends;
}
