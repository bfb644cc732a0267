/** Callouts: quotes that begin with `[!NOTE]`, as GitHub and Obsidian write them. */
import type { Token, Tokens } from "marked";

export type CalloutKind = "note" | "tip" | "important" | "warning" | "caution";

/** A callout: its kind, and the content below its title. */
export interface Callout {
  readonly kind: CalloutKind;
  readonly tokens: Token[];
}

const MARKER = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;

/** Read a quote as a callout; undefined: it is a plain quote. */
export function calloutOf({ tokens: [first, ...rest] }: Tokens.Blockquote): Callout | undefined {
  if (first?.type !== "paragraph") return undefined;
  const [words, ...others] = first.tokens ?? [];
  const marker = words?.type === "text" ? MARKER.exec(words.raw) : null;
  if (!(words && marker)) return undefined;
  const left = words.raw.slice(marker[0].length);
  const after = others[0]?.type === "br" ? others.slice(1) : others; // the break after the marker's line
  const inside = left ? [{ ...words, raw: left, text: left }, ...others] : after;
  const kind = (marker[1] ?? "").toLowerCase() as CalloutKind;
  return { kind, tokens: inside.length ? [{ ...first, tokens: inside }, ...rest] : rest };
}
