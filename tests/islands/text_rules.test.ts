import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Token } from "marked";
import { BlockReader } from "../../app/ui/reply/blocks.ts";
import { lex } from "../../app/ui/reply/bounds.ts";

// The exported page is read by the same rules: tests/views/test_transcripts.py.
const rules: { emphasis: [string, string][]; formulas: [string, string[]][]; fences: [string, string[]][] } = JSON.parse(
  readFileSync(new URL("../markdown_rules.json", import.meta.url), "utf8"),
);
const NAMES: Readonly<Record<string, string>> = { strong: "b", em: "i", del: "s" };

type AnyToken = Token & { text?: string; tokens?: Token[] };

/** Returns the words of blocks, with emphasis as HTML. */
function show(tokens: readonly Token[]): string {
  const shown = ({ type, text = "", raw, tokens: inner }: AnyToken): string => {
    const name = NAMES[type];
    return name ? `<${name}>${show(inner ?? [])}</${name}>` : inner ? show(inner) : text || raw;
  };
  return tokens.map((token) => shown(token as AnyToken)).join("");
}

/** Returns the formulas of blocks. */
const formulasIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => {
    const { type, text = "", tokens: inner = [] } = token as AnyToken;
    return type.startsWith("math") ? [text] : formulasIn(inner);
  });

const read = (text: string) => lex(text, Object.create(null));

test("emphasis begins and ends next to Chinese, Japanese and Korean signs", () => {
  for (const [text, shown] of rules.emphasis) assert.equal(show(read(text)), shown);
});

test("dollars of prices, variables and tickers are no formulas", () => {
  for (const [text, formulas] of rules.formulas) assert.deepEqual(formulasIn(read(text)), formulas, text);
});

test("a formula that is shown while the text grows is one of the whole text", () => {
  for (const [text, formulas] of rules.formulas) {
    const reader = new BlockReader();
    for (let end = 1; end < text.length; end++) {
      const shown = formulasIn(reader.read(text.slice(0, end), true));
      assert.deepEqual(shown, formulas.slice(0, shown.length), text.slice(0, end));
    }
    assert.deepEqual(formulasIn(reader.read(text, false)), formulas);
  }
});

test("a block of code ends at the first fence that is as long as its own, and nothing of a text is lost", () => {
  for (const [text, blocks] of rules.fences) {
    const codeIn = (tokens: readonly Token[]) => tokens.flatMap((token) => (token.type === "code" ? [token.text] : []));
    assert.deepEqual(codeIn(read(text)), blocks, text);
    for (let end = 1; end < text.length; end++) {
      const drawn = read(text.slice(0, end));
      assert.equal(drawn.map(({ raw }) => raw).join(""), text.slice(0, end));
    }
  }
});

test("words in angles, also unfinished ones, are shown while the text grows and after", () => {
  const text = "See <channel> and <exact line(s) of it. <|endoftext|> ends nothing, a <b and c.";
  const reader = new BlockReader();
  for (let end = 1; end <= text.length; end++) {
    assert.equal(show(reader.read(text.slice(0, end), true)).trim(), text.slice(0, end).trim());
  }
  assert.equal(show(reader.read(text, false)), text);
});
