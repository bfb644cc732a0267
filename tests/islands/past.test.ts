import assert from "node:assert/strict";
import { test } from "node:test";
import { Past } from "../../app/ui/filters/past.ts";

function walker(lines: readonly string[] | null) {
  const written: string[] = [];
  const past = new Past();
  const write = (line: string) => void written.push(line);
  past.know(lines, write);
  return { past, written, write };
}

test("the walk goes to older lines and back, and stops at both ends", () => {
  const { past, written, write } = walker(["s2", "s1"]);

  for (const direction of [1, 1, 1, -1, -1, -1] as const) past.step(direction, write);

  assert.deepEqual(written, ["s2", "s1", "s2", ""]);
});

test("keys that come before the lines are known are done when they are", () => {
  const { past, written, write } = walker(null);
  past.step(1, write);
  past.step(1, write);
  assert.deepEqual(written, []);

  past.know(["s2", "s1"], write);

  assert.deepEqual(written, ["s2", "s1"]);
});

test("arrows mean the past in an empty line and in one that came from there", () => {
  const { past, write } = walker(["s2"]);
  assert.ok(past.walks(""));
  assert.ok(!past.walks("s2"));

  past.step(1, write);

  assert.ok(past.walks("s2"));
  assert.ok(!past.walks("s2 b"));
  past.rest();
  assert.ok(!past.walks("s2"));
});
