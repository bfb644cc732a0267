/** The beginning of the next line after a line break. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planBreak } from "../../app/ui/kit/texts/writing.ts";

const CASES: readonly (readonly [string, string | undefined])[] = [
  ["- one", "\n- "],
  ["3. one", "\n4. "],
  ["- [x] done", "\n- [ ] "],
  ["text\n  * one", "\n  * "],
  ["```py", "\n\n```"],
  ["plain", undefined],
];

for (const [text, expected] of CASES)
  test(`after ${JSON.stringify(text)} comes ${JSON.stringify(expected)}`, () => {
    assert.equal(planBreak(text)?.text, expected);
  });

test("an empty item ends its list", () => {
  assert.deepEqual(planBreak("- one\n- "), { cut: 2, text: "", at: 0 });
});

test("a fence that closes is an end", () => {
  assert.equal(planBreak("```py\nx\n```"), null);
});
