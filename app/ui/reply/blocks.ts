/**
 * Splits Markdown text into blocks, a piece at a time. A block that later text can no longer change is parsed once.
 *
 * markdown.tsx draws the blocks. In CommonMark, a block cannot change any more once another block has started after it.
 * So while text streams in, only the last block is parsed again, and an earlier block until a whole line follows it.
 * While streaming, `remend` completes unfinished **emphasis, links and code at the end, and a dollar at the end is not
 * shown yet: only the next character shows if it closes a formula. A complete text is drawn without these changes.
 */
import type { Token, TokensList } from "marked";
import remend from "remend";
import { lex, MAX_WORK, outline, plain, SLICE_WORK, workOf } from "./bounds.ts";
import { defineNotes } from "./footnotes.ts";
import { BLOCK_OPENING } from "./math_syntax.ts";

const STREAMING = { linkMode: "text-only", katex: false, htmlTags: false } as const; // tags are shown as text
const PIECE = 8_000; // characters that are searched at once for the ends of blocks
const MAX_BLOCK = 32_000; // characters; a longer block, unless it is code, is cut
/** The text after this number of characters or blocks is shown as plain text. */
const MAX_READ = 500_000;
const MAX_BLOCKS = 6_000;
const BLANK_LINE = /\n[ \t]*\n/;
const LAST_DOLLARS = /\\?\${1,2}$/;
const DEFINITION = /^ {0,3}\[([^^[\]\n][^[\]\n]*)\]: *(\S+)/gm;
const NOTE = /^ {0,3}\[\^[^\s[\]]+\]:/m;

/** Parses a text that may grow. */
export class BlockReader {
  /** True if reading must continue: the same text has more blocks than were returned. */
  more = false;
  private source = "";
  private whole = false;
  private before: Token[] = []; // blocks of the same text that were read when not all links were known
  private closed: Token[] = [];
  private end = 0;
  private count = 0; // number of closed blocks
  private links: TokensList["links"] = Object.create(null);

  /** Continue reading. `text` is all text received so far. Returns the blocks; closed blocks are the same objects. */
  read(text: string, growing: boolean): Token[] {
    const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (this.whole ? source !== this.source : !source.startsWith(this.source)) Object.assign(this, new BlockReader());
    if (!growing && !this.whole) this.defineLinks(source);
    this.source = source;
    this.whole = !growing;
    const open = this.readOn(growing);
    return [...this.closed, ...(this.more ? this.before.slice(this.closed.length) : open)];
  }

  /** Read a complete text again if it defines links or notes, because these may be used before their definition. */
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
      if (left < 0 && taken) break; // the first block is always taken, however much work it is
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

  /** The next blocks, the number of them that later text cannot change, and true if they reach the end of the text. */
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
 * The number of leading blocks that are closed: those before the last block that has a complete first line, and before
 * a formula that has started and may still end. Until it ends, its lines may look like any other blocks.
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

/** The start of a formula in the lines after the last blank line, -1 if there is none. */
function beginOfFormula(source: string): number {
  const last = source.split(BLANK_LINE).at(-1) ?? "";
  const at = last.search(BLOCK_OPENING);
  return at < 0 ? at : source.length - last.length + at;
}

const isShown = (token: Token): boolean => token.type !== "space" && token.type !== "def";
