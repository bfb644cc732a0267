/** Footnotes: their marks, and the lines that belong to a note. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "marked";
import { BlockReader } from "../../app/ui/reply/blocks.ts";
import type { NoteToken } from "../../app/ui/reply/footnotes.ts";

const read = (text: string): Token[] => new BlockReader().read(text, false);
const isNote = (token: Token): token is NoteToken => token.type === "note";
const notesOf = (text: string) => read(text).filter(isNote);
const marksOf = (text: string) =>
  read(text).flatMap((block) => ("tokens" in block ? (block.tokens ?? []) : [])).filter(({ type }) => type === "noteMark");
const wordsOf = ({ tokens }: NoteToken) => tokens.filter(({ type }) => type !== "space").map(({ raw }) => raw.trim());

test("a mark is one where its note is defined, before it or after it", () => {
  assert.deepEqual(
    marksOf("One[^1] and two[^Second].\n\n[^1]: See.\n[^second]: The book.").map(({ raw }) => raw),
    ["[^1]", "[^Second]"],
  );
  assert.equal(marksOf("[^1]: See.\n\nOne[^1].").length, 1);
  assert.equal(marksOf("Any of [^a-z] and `[^1]`.\n\n[^1]: See.").length, 0);
});

test("a note has its lines and what is indented below it, and the next note is another", () => {
  const text = "A[^1]\n\n[^1]: First line\ngoes on.\n\n    Another *paragraph*.\n[^2]: The next.\n\nWords after.";
  assert.deepEqual(notesOf(text).map(wordsOf), [["First line\ngoes on.", "Another *paragraph*."], ["The next."]]);
  assert.equal(read(text).at(-1)?.raw, "Words after.");
});

test("a note that is one word is no address of a link", () => {
  assert.deepEqual(notesOf("A[^1]\n\n[^1]: See").map(wordsOf), [["See"]]);
  assert.equal(read("A [b]\n\n[b]: https://example.com").length, 1);
});

test("a text that grows ends as one that is read whole", () => {
  const text = "A[^1] b.\n\n[^1]: See *this*\nand that.\n\n- c[^2]\n\n[^2]: More.\n\nThe end.";
  const growing = new BlockReader();
  for (let at = 1; at < text.length; at++) growing.read(text.slice(0, at), true);
  const types = (tokens: Token[]) => tokens.map(({ type, raw }) => [type, raw.trim()]);
  assert.deepEqual(types(growing.read(text, false)), types(read(text)));
});

test("a long line of openings is read in no time to speak of", () => {
  assert.equal(notesOf("[^".repeat(20_000)).length, 0);
  assert.equal(notesOf(`[^1]:${"\n a".repeat(200)}`).length, 1);
});
