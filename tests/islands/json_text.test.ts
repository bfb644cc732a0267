import assert from "node:assert/strict";
import { test } from "node:test";
import { colour, inBlocks, layOut } from "../../app/ui/kit/texts/json_text.ts";

test("JSON is laid out two blanks a level, and empty lists stay on their line", () => {
  assert.deepEqual(layOut('{"a":[1,true],"b":{},"c":[]}', 0), [
    "{",
    '  "a": [',
    "    1,",
    "    true",
    "  ],",
    '  "b": {},',
    '  "c": []',
    "}",
  ]);
});

test("tokens are copied unchanged", () => {
  assert.deepEqual(layOut('{"not": [1.0, 1e400, "a \\" b", "{,}"]}', 0), [
    "{",
    '  "not": [',
    "    1.0,",
    "    1e400,",
    '    "a \\" b",',
    '    "{,}"',
    "  ]",
    "}",
  ]);
});

test("a page continues at the depth of its beginning", () => {
  assert.deepEqual(layOut('"b":2},"c":3}', 2), ['    "b": 2', "  },", '  "c": 3', "}"]);
  assert.deepEqual(layOut("}]}", 3), ["    }", "  ]", "}"]);
});

test("what is coloured is the line, character for character", () => {
  const line = '  "key": -1.5e3, "text": null';

  assert.equal(
    colour(line)
      .map(({ text }) => text)
      .join(""),
    line,
  );
  assert.deepEqual(
    colour(line)
      .filter(({ kind }) => kind)
      .map(({ text, kind }) => [text, kind]),
    [
      ['"key"', "hljs-attr"],
      ["-1.5e3", "hljs-number"],
      ['"text"', "hljs-attr"],
      ["null", "hljs-literal"],
    ],
  );
});

test("blocks hold all lines in order", () => {
  const lines = Array.from({ length: 150 }, (_, at) => String(at));

  assert.deepEqual(inBlocks(lines).flat(), lines);
  assert.equal(inBlocks(lines).length, 3);
});

test("what is no JSON is laid out in lines all the same, and soon", () => {
  const deep = layOut("[".repeat(20_000), 0);

  assert.equal(deep.length, 20_000);
  assert.ok(deep.every((line) => line.length <= 81));
  assert.deepEqual(layOut("}}}}", 0).join(""), "}}}}");
  assert.equal(layOut(`"${'\\"'.repeat(100_000)}`, 0).length, 1);
  assert.equal(colour(`"${'\\"'.repeat(100_000)}`).length, 1);
});
