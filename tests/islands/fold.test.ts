import assert from "node:assert/strict";
import { test } from "node:test";
import { foldAt } from "../../app/ui/kit/texts/fold.ts";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");

test("a short text is shown whole", () => {
  assert.equal(foldAt(""), 0);
  assert.equal(foldAt("word ".repeat(300)), 0);
  assert.equal(foldAt(`${lines(14)}\n`), 0);
});

test("a text of many lines shows its first eight", () => {
  const text = lines(15);

  assert.equal(text.slice(0, foldAt(text)), `${lines(8)}\n`);
});

test("a text of long lines is folded after a word", () => {
  const text = "word ".repeat(301);

  assert.equal(foldAt(text), 600);
  assert.equal(foldAt(`x${text}`), 596);
});

test("a text without blanks is folded, but not within a character", () => {
  assert.equal(foldAt("x".repeat(2000)), 600);
  assert.equal(foldAt(`x${"😀".repeat(1000)}`), 599);
});
