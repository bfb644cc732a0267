import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MOST_LETTERS, MOST_MARKS, MOST_TURNS, MOST_WHOLE, partsOf, piecesOf } from "../../app/ui/kit/texts/text_pieces.ts";

const attacks: { name: string; parts: [string, number][] }[] = JSON.parse(
  readFileSync(new URL("../attacks.json", import.meta.url), "utf8"),
);
const ATTACKS = attacks.map(({ name, parts }) => ({
  name,
  text: parts.map(([piece, times]) => piece.repeat(times)).join(""),
}));
const ORDINARY = {
  Vietnamese: "Tiếng Việt có nhiều dấu. ".normalize("NFD").repeat(400),
  "Hebrew with points": "בְּרֵאשִׁית בָּרָא אֱלֹהִים ".repeat(400),
  "Arabic with vowels": "بِسْمِ اللَّهِ الرَّحْمٰنِ الرَّحِيمِ ".repeat(400),
  "Arabic with English": "هذا هو Inview وهذا نص ".repeat(400),
  Thai: "ภาษาไทยไม่เว้นวรรคระหว่างคำ".repeat(60),
  Devanagari: "नमस्ते क्षत्रिय ".repeat(600),
  Japanese: "日本語の文章です。".repeat(2_000),
  "emoji that are joined": "👩‍👩‍👧‍👦👋🏽🏴󠁧󠁢󠁥󠁮󠁧󠁿❤️‍🔥 ".repeat(500),
  "twenty marks a letter": `Z${"\u0301\u0323\u0334\u035c".repeat(5)}`.repeat(900),
  "a long word": "a".repeat(MOST_WHOLE),
  "a mark at the beginning": "\u0301a".repeat(100),
};
const HEAP = /[\p{M}\u200d\u{1f3fb}-\u{1f3ff}]{81,}/u;

for (const [name, text] of Object.entries(ORDINARY)) {
  test(`drawn as ever: ${name}`, () => {
    assert.equal(partsOf(text), null);
    assert.equal(piecesOf(text), null);
  });
}

for (const { name, text } of ATTACKS) {
  test(`every character is drawn, few of them together: ${name}`, () => {
    const pieces = piecesOf(text) ?? [text];
    const groups = pieces.flatMap((piece) => partsOf(piece)?.flatMap((part) => part.groups) ?? [piece]);

    assert.equal(groups.join(""), text);
    assert.ok(pieces.length === 1 || pieces.every((piece) => piece.length <= 2_001));
    assert.ok(!groups.some((group) => HEAP.test(group)));
  });
}

test("one mark more than is drawn together is drawn in groups, and it is said how many there are", () => {
  const most = `a${"\u0301".repeat(MOST_MARKS)}`;

  assert.equal(partsOf(`${most} b`), null);
  assert.deepEqual(
    partsOf(`${most}\u0301 b`)?.map(({ groups, size }) => [groups.length, size]),
    [
      [1, 0],
      [1, MOST_MARKS + 1],
      [1, 0],
    ],
  );
});

test("marks that continue the text before are separated from it", () => {
  assert.deepEqual(partsOf("\u0301".repeat(9)), [{ groups: ["\u0301".repeat(9)], size: 9 }]);
});

test("a word of joined letters is cut where no mark is torn from its letter", () => {
  const [word] = partsOf("بَ".repeat(MOST_LETTERS)) ?? [];

  assert.ok(word && word.groups.length > 50);
  assert.ok(word.groups.every((group) => !/^\p{M}/u.test(group)));
});

test("a text with too many characters or changes of direction is drawn in pieces of whole lines", () => {
  const line = `${"a".repeat(99)}\n`;

  assert.equal(piecesOf(line.repeat(MOST_WHOLE / 100)), null);
  assert.ok(piecesOf(line.repeat(MOST_WHOLE / 100 + 1))?.every((piece) => piece.endsWith("\n")));
  assert.equal(piecesOf("אa".repeat(MOST_TURNS)), null);
  assert.ok(piecesOf("אa".repeat(MOST_TURNS + 1)));
});
