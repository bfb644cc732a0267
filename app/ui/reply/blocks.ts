/**
 * Markdown text into blocks, a piece at a time: a block that later text can no longer change is read once.
 *
 * Not a renderer (markdown.tsx). CommonMark closes a block for good when another one opens after it, so only the last
 * block, and those before it until a whole line has followed them, are read again as text streams in. While streaming,
 * unfinished **emphasis, links and code at the end are completed by `remend`, and a dollar at the end is not shown yet: only
 * the next character shows if it closes a formula. Once the text is complete, nothing is added or left out.
 */
import type { Token, TokensList } from "marked";
import remend from "remend";
import { lex, MAX_WORK, outline, plain, SLICE_WORK, workOf } from "./bounds.ts";
import { defineNotes } from "./footnotes.ts";
import { BLOCK_OPENING } from "./math_syntax.ts";

const STREAMING = { linkMode: "text-only", katex: false, htmlTags: false } as const; // tags are shown as text
const PIECE = 8_000; // characters that are looked at to find where blocks end
const MAX_BLOCK = 32_000; // characters; a longer block, unless it is code, is cut
/** Beyond so many characters or blocks a text is plain. */
const MAX_READ = 500_000;
const MAX_BLOCKS = 6_000;
const BLANK_LINE = /\n[ \t]*\n/;
const LAST_DOLLARS = /\\?\${1,2}$/;
const DEFINITION = /^ {0,3}\[([^^[\]\n][^[\]\n]*)\]: *(\S+)/gm;
const NOTE = /^ {0,3}\[\^[^\s[\]]+\]:/m;

/** Reads a text that may grow. */
export class BlockReader {
  /** Whether reading goes on: the same text has more blocks than were returned. */
  more = false;
  private source = "";
  private whole = false;
  private before: Token[] = []; // of the same text, with fewer links
  private closed: Token[] = [];
  private end = 0;
  private count = 0; // of all blocks up to there
  private links: TokensList["links"] = Object.create(null);

  /** Take all of the text so far and read on in it. Returns the blocks, the closed ones as they were. */
  read(text: string, growing: boolean): Token[] {
    const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (this.whole ? source !== this.source : !source.startsWith(this.source)) Object.assign(this, new BlockReader());
    if (!growing && !this.whole) this.defineLinks(source);
    this.source = source;
    this.whole = !growing;
    const open = this.readOn(growing);
    return [...this.closed, ...(this.more ? this.before.slice(this.closed.length) : open)];
  }

  /** Links and notes may be defined after they are used: a text that is whole and has any is read once more. */
  private defineLinks(source: string): void {
    const found = [...source.matchAll(DEFINITION)];
    if (!found.length && !NOTE.test(source)) return;
    Object.assign(this, new BlockReader(), { before: this.closed });
    defineNotes(source, this.links);
    for (const [, name = "", href = ""] of found) this.links[name.toLowerCase()] ??= { href, title: null };
  }

  /** Close blocks. Returns those that stay open. */
  private readOn(growing: boolean): Token[] {
    const isMuch = this.end >= MAX_READ || this.count >= MAX_BLOCKS;
    const { blocks, count, isLast } = this.lookOn(growing, isMuch);
    const works = blocks.map((block) => workOf(block));
    const start = this.end;
    let left = SLICE_WORK;
    let taken = 0;
    while (taken < count && (isMuch || (this.end < MAX_READ && this.count < MAX_BLOCKS))) {
      left -= works[taken] ?? 0;
      if (left < 0 && taken) break; // the first is taken, whatever it takes
      this.end += blocks[taken]?.raw.length ?? 0;
      this.count++;
      taken++;
    }
    const read = isMuch || (works[0] ?? 0) > MAX_WORK ? plain : (raw: string) => lex(raw, this.links);
    this.closed.push(...read(this.source.slice(start, this.end)).filter(isShown));
    this.more = !isLast || taken < count;
    const rest = this.source.slice(this.end);
    if (this.more || !rest) return [];
    if (isMuch || works.slice(count).reduce((sum, work) => sum + work, 0) > MAX_WORK) return plain(rest);
    const decided = growing ? rest.replace(LAST_DOLLARS, "") : rest;
    const completed = growing && rest.length <= PIECE ? remend(decided, STREAMING) : decided;
    return lex(completed, Object.assign(Object.create(null), this.links)).filter(isShown);
  }

  /** The next blocks, how many of them later text leaves as they are, and whether they are the last ones there. */
  private lookOn(growing: boolean, isMuch: boolean): { blocks: Token[]; count: number; isLast: boolean } {
    for (let size = isMuch ? MAX_READ : PIECE; ; size *= 2) {
      const piece = this.source.slice(this.end, this.end + size);
      const blocks = isMuch ? plain(piece) : outline(piece);
      const isLast = this.end + size >= this.source.length;
      const count = isLast && !growing ? blocks.length : closedCount(blocks, piece);
      if (count || isLast) return { blocks, count, isLast };
      const [first] = blocks;
      const isLong = first?.type !== "code" && (size >= MAX_BLOCK || (first && workOf(first) > MAX_WORK));
      if (isLong) return { blocks, count: blocks.length, isLast };
    }
  }
}

/**
 * How many leading blocks are closed: those before the last one that has a complete first line, and before a formula that
 * began and may still end, whatever its lines look like until then.
 */
function closedCount(blocks: readonly Token[], source: string): number {
  const lastBreak = source.lastIndexOf("\n");
  let start = blocks.reduce((sum, { raw }) => sum + raw.length, 0);
  const isClosing = ({ type, raw }: Token) => {
    start -= raw.length;
    return type !== "space" && start <= lastBreak;
  };
  const closed = Math.max(0, blocks.findLastIndex(isClosing));
  const begun = beginOfFormula(source);
  let end = 0;
  const mayBecomeOne = ({ type, raw }: Token) => {
    end += raw.length;
    return end > begun && type !== "code" && type !== "mathBlock";
  };
  const open = begun < 0 ? -1 : blocks.slice(0, closed).findIndex(mayBecomeOne);
  return open < 0 ? closed : open;
}

/** Where the last lines without a blank one between them begin a formula, -1 if they do not. */
function beginOfFormula(source: string): number {
  const last = source.split(BLANK_LINE).at(-1) ?? "";
  const at = last.search(BLOCK_OPENING);
  return at < 0 ? at : source.length - last.length + at;
}

const isShown = (token: Token): boolean => token.type !== "space" && token.type !== "def";
