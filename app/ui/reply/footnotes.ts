/**
 * Footnotes in Markdown, as GitHub writes them: the mark `[^1]` in a text, and the note `[^1]: …`. Pure.
 *
 * A mark counts only if its note is defined: `[^a-z]` in a sentence is ordinary text. So marks are found only once a
 * text is complete. A note is drawn at the place where it was written.
 */
import type { Token, TokenizerExtension, TokensList } from "marked";

/** A mark in a line: `label` without its brackets. */
export interface NoteMarkToken {
  type: "noteMark";
  raw: string;
  label: string;
}

/** A note with its content. */
export interface NoteToken {
  type: "note";
  raw: string;
  label: string;
  tokens: Token[];
}

const MARK = /^\[\^([^\s[\]]{1,60})\]/;
// A line, the lines that continue its paragraph, and paragraphs that are indented.
const NOTE =
  /^ {0,3}\[\^([^\s[\]]{1,60})\]:[ \t]*([^\n]*(?:\n(?! {0,3}\[\^)[^\S\n]*\S[^\n]*)*(?:\n+(?: {2,}|\t)[^\n]*)*)(?:\n+|$)/;
const DEFINED = /^ {0,3}\[\^([^\s[\]]{1,60})\]:/gm;
const INDENT = /\n(?: {1,4}|\t)/g;

const keyOf = (label: string): string => `^${label.toLowerCase()}`;

/** Add the notes that a text defines to its links, where the tokenizer of marks finds them. */
export function defineNotes(source: string, links: TokensList["links"]): void {
  for (const [, label = ""] of source.matchAll(DEFINED)) links[keyOf(label)] = { href: "", title: null };
}

export const footnoteExtensions: TokenizerExtension[] = [
  {
    name: "note",
    level: "block",
    tokenizer(source): NoteToken | undefined {
      const [raw, label = "", text = ""] = NOTE.exec(source) ?? [];
      if (raw === undefined) return undefined;
      return { type: "note", raw, label, tokens: this.lexer.blockTokens(text.replace(INDENT, "\n"), []) };
    },
  },
  {
    name: "noteMark",
    level: "inline",
    start: (source) => source.indexOf("[^"),
    tokenizer(source): NoteMarkToken | undefined {
      const [raw, label = ""] = MARK.exec(source) ?? [];
      const isDefined = raw !== undefined && keyOf(label) in this.lexer.tokens.links;
      return isDefined ? { type: "noteMark", raw, label } : undefined;
    },
  },
];
