/** Quotes that are callouts, and their text without the marker. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lexer, type Token, type Tokens } from "marked";
import { calloutOf } from "../../app/ui/reply/callout.ts";

const quoteOf = (text: string) => lexer(text)[0] as Tokens.Blockquote;
const rawsOf = (token: Token) => (token as Tokens.Paragraph).tokens.map(({ raw }) => raw);
const wordsOf = (text: string) => calloutOf(quoteOf(text))?.tokens.filter(({ type }) => type !== "space").map(rawsOf);

test("a quote whose first line is a marker is a callout of that kind", () => {
  assert.equal(calloutOf(quoteOf("> [!NOTE]\n> Words"))?.kind, "note");
  assert.equal(calloutOf(quoteOf("> [!caution]\n> Words"))?.kind, "caution");
  assert.deepEqual(wordsOf("> [!TIP]\n> Mind the *gap*\n>\n> and more"), [["Mind the ", "*gap*"], ["and more"]]);
  assert.deepEqual(wordsOf("> [!TIP]"), []);
  assert.deepEqual(wordsOf("> [!TIP]  \n> below a break"), [["below a break"]]);
  assert.deepEqual(wordsOf("> [!TIP]\n>\n> below"), [["below"]]);
});

test("any other quote is a quote", () => {
  for (const text of ["> Words", "> [!NOTHING]\n> Words", "> [!NOTE] in a line", "> see [!NOTE]\n> Words", "> - [!NOTE]"]) {
    assert.equal(calloutOf(quoteOf(text)), undefined, text);
  }
});
