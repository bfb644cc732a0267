/**
 * Limits for Markdown: the depth of nesting, and the work of parsing and drawing at once. Pure.
 *
 * The time of parsing grows with the number of characters times the number of signs that may start or end an element.
 * Text beyond a limit is shown as plain text. Limits count work instead of time, so the result is the same everywhere.
 */
import { Lexer, Marked, type Token, type Tokens, type TokensList } from "marked";
import { cjkEmphasis, maskCjk } from "./cjk.ts";
import { footnoteExtensions } from "./footnotes.ts";
import { mathExtensions } from "./math_syntax.ts";

/** The most work for all blocks that are read and drawn at once, and for one block: a block with more is plain text. */
export const SLICE_WORK = 3_000_000;
export const MAX_WORK = 12_000_000;
const MAX_DEPTH = 16;
const MAX_NESTED = 40; // nested content is read once for each level: at most this multiple of the length is read
const MAX_HEADING = 1_000; // characters; else each line of an item searches all later lines for its underline
const PLAIN = /[\s\S]{0,1999}\n|[\s\S]{1,2000}/g;
const SIGN = /[\n$&*<>@[\\\]_`|~]|www\.|:\/\//g;
const INLINE: readonly unknown[] = ["paragraph", "heading", "text", undefined]; // cells of tables have no type
/** The work of drawing, in characters times signs: of a sign, a block, a part within a block, and code. */
const DRAWN = { sign: 2_500, block: 10_000, inner: 9_000, code: 100_000 };

const { defaults } = new Marked({ gfm: true, breaks: true }).use({
  extensions: [...mathExtensions, ...footnoteExtensions],
  hooks: { emStrongMask: maskCjk },
  tokenizer: {
    ...cjkEmphasis,
    lheading: (source) => (/\n {0,3}[=-]/.test(source.slice(0, MAX_HEADING)) ? false : undefined),
  },
});

class BoundedLexer extends Lexer {
  private depth = 0;
  private left: number;

  constructor(length: number) {
    super(defaults);
    this.left = MAX_NESTED * length;
  }

  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): TokensList {
    this.left -= source.length;
    const isOver = this.left < 0;
    return this.within(source, tokens, isOver, () => super.blockTokens(source, tokens, isClipped));
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    return this.within(source, tokens, false, () => super.inlineTokens(source, tokens));
  }

  private within(source: string, tokens: Token[], isOver: boolean, read: () => Token[]): TokensList {
    if (this.depth === MAX_DEPTH || isOver) tokens.push(...plain(source));
    else {
      this.depth++;
      read();
      this.depth--;
    }
    return tokens as TokensList;
  }
}

/** The blocks of a text, without the elements within their lines. */
export const outline = (source: string): Token[] => new BoundedLexer(source.length).blockTokens(source);

/** The blocks of a text. Links it defines are added to `links`. */
export function lex(source: string, links: TokensList["links"]): Token[] {
  const lexer = new BoundedLexer(source.length);
  lexer.tokens.links = links;
  return lexer.lex(source);
}

/** A text as plain blocks, without any Markdown. */
export const plain = (source: string): Token[] => (source.match(PLAIN) ?? []).map((raw) => ({ type: "plain", raw }));

/** The work of reading the lines of a block of an outline, and of drawing it. */
export function workOf(token: Token | Tokens.TableCell, own = DRAWN.block): number {
  const { type, text = "" } = token as Tokens.Text;
  if (INLINE.includes(type)) {
    const signs = text.match(SIGN)?.length ?? 0;
    return (1 + signs) * text.length + signs * DRAWN.sign + own;
  }
  const { items = [], header = [], rows = [], tokens = [] } = token as Tokens.List & Tokens.Table;
  const inner = [...items, ...header, ...rows.flat(), ...tokens];
  const drawn = (type as string) === "code" ? DRAWN.code : own;
  return inner.reduce((sum, each) => sum + workOf(each, DRAWN.inner), drawn);
}
