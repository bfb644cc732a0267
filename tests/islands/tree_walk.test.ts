import assert from "node:assert/strict";
import { test } from "node:test";
import { nextItem } from "../../app/ui/inspector/tree_walk.ts";

// 0 Plans, 1   Fork, 2     Fork of the fork, 3   Fork
const LEVELS = [1, 2, 3, 2];

const walk = (key: string) => LEVELS.map((_, at) => nextItem(key, LEVELS, at));

test("up and down walk the lines and stop at the ends", () => {
  assert.deepEqual(walk("ArrowDown"), [1, 2, 3, null]);
  assert.deepEqual(walk("ArrowUp"), [null, 0, 1, 2]);
});

test("left leads to the parent, right to the first fork", () => {
  assert.deepEqual(walk("ArrowLeft"), [null, 0, 1, 0]);
  assert.deepEqual(walk("ArrowRight"), [1, 2, null, null]);
});

test("Home and End lead to the first and the last line", () => {
  assert.deepEqual(walk("Home"), [0, 0, 0, 0]);
  assert.deepEqual(walk("End"), [3, 3, 3, 3]);
});

test("another key leads nowhere, and so does any key from outside", () => {
  assert.deepEqual(walk("Enter"), [null, null, null, null]);
  assert.equal(nextItem("ArrowDown", LEVELS, -1), null);
});
