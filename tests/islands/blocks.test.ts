import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Token } from "marked";
import { BlockReader } from "../../app/ui/reply/blocks.ts";
import { MAX_WORK, outline, workOf } from "../../app/ui/reply/bounds.ts";

const attacks: { name: string; parts: [string, number][] }[] = JSON.parse(
  readFileSync(new URL("../attacks.json", import.meta.url), "utf8"),
);
const ATTACKS = attacks.map(({ name, parts }) => ({
  name,
  text: parts.map(([piece, times]) => piece.repeat(times)).join(""),
}));

/** Returns the blocks of a text, and the number of new ones in each step. */
function readAll(text: string, reader = new BlockReader()): { blocks: Token[]; steps: number[] } {
  const steps: number[] = [];
  for (let count = 0; ; ) {
    const blocks = reader.read(text, false);
    steps.push(blocks.length - count);
    count = blocks.length;
    if (!reader.more) return { blocks, steps };
  }
}

const inside = (token: Token): Token[] => {
  const { tokens, items, header, rows } = token as never as Record<string, unknown>;
  return [tokens, items, header, rows].filter(Array.isArray).flat(2);
};
const depthOf = (token: Token): number => 1 + Math.max(0, ...inside(token).map(depthOf));
const countOf = (token: Token): number => inside(token).reduce((sum, each) => sum + countOf(each), 1);
const shape = (blocks: readonly Token[]) => blocks.map(({ type, raw }) => [type, raw.trimEnd()]);
/** The same, with adjacent plain blocks joined: a reader does not see where these are cut. */
const wholeShape = (blocks: readonly Token[]) =>
  shape(blocks).reduce<string[][]>((all, [type = "", raw = ""]) => {
    const last = all.at(-1);
    if (type !== "plain" || last?.[0] !== "plain") return [...all, [type, bare(raw)]];
    last[1] += bare(raw);
    return all;
  }, []);
const bare = (text: string) => text.replace(/\s+/g, "");

for (const { name, text } of ATTACKS) {
  test(`nothing of it is lost, and no block is deep or large: ${name}`, () => {
    const { blocks, steps } = readAll(text);

    // Paragraphs of plain words are limited by their characters.
    for (const block of blocks) assert.ok(depthOf(block) <= 40 && countOf(block) <= 5_000, block.type);
    assert.ok(Math.max(...steps) <= 300, String(Math.max(...steps)));
    assert.ok(steps.length <= 100, String(steps.length));
    if (!name.includes("defin")) assert.equal(bare(blocks.map(({ raw }) => raw).join("")), bare(text));
  });

  test(`it ends the same if it came in pieces: ${name}`, () => {
    const reader = new BlockReader();
    for (let end = 0; end < text.length; end += 3_001) reader.read(text.slice(0, end), true);

    assert.deepEqual(wholeShape(readAll(text, reader).blocks), wholeShape(readAll(text).blocks));
  });
}

test("a block that would take long to draw is plain text, and its neighbours are not", () => {
  const blocks = readAll(`# Before\n\n${"*a ".repeat(2_000)}\n\nAfter it *all*`).blocks;

  assert.deepEqual(
    blocks.map(({ type }) => type),
    ["heading", ...blocks.slice(1, -1).map(() => "plain"), "paragraph"],
  );
});

test("text after a deep quote is drawn as usual", () => {
  const last = readAll(`${"> ".repeat(1_500)}\n\n- *a*\n\nAfter **it**`).blocks.slice(-2);

  assert.ok(last.every((block) => JSON.stringify(block).match(/"type":"(em|strong)"/)), JSON.stringify(last));
});

test("usual texts are far below the bounds", () => {
  const prose = "A paragraph of **some** words, with `code` and [a link](https://example.org/a_b). ".repeat(8);
  const list = "- an item of *usual* length, with `code`\n".repeat(60);
  const table = `| a | b | c |\n|---|---|---|\n${"| one | `two` | **three** |\n".repeat(40)}`;

  for (const text of [prose, list, table]) assert.ok(workOf(outline(text)[0] as Token) < MAX_WORK / 1.5, text);
});

test("a link is one wherever it is defined", () => {
  const text = `See [a].\n\n- [a]\n\n${"Words.\n\n".repeat(1_000)}[a]: https://example.org`;

  const [first, list] = readAll(text).blocks;

  assert.ok(JSON.stringify(first).includes('"href":"https://example.org"'));
  assert.ok(JSON.stringify(list).includes('"href":"https://example.org"'));
});

test("a text that replaces the one that was read is read again", () => {
  const reader = new BlockReader();
  readAll("One\n\ntwo", reader);

  assert.deepEqual(shape(readAll("One\n\ntwo\nlines", reader).blocks), [
    ["paragraph", "One"],
    ["paragraph", "two\nlines"],
  ]);
});
