import assert from "node:assert/strict";
import { test } from "node:test";
import { sidesAt } from "../../app/ui/kit/placing.ts";

const SCREEN = { width: 1000, height: 800 };

test("a popup stands below an element in the upper half, and above one in the lower half", () => {
  const upper = sidesAt({ left: 100, top: 50, bottom: 80, width: 40 }, SCREEN);
  const lower = sidesAt({ left: 100, top: 700, bottom: 730, width: 40 }, SCREEN);

  assert.deepEqual(upper, { margin: "0", left: "100px", top: "86px", bottom: "auto", maxHeight: "min(28rem, 706px)" });
  assert.deepEqual(lower, { margin: "0", left: "100px", top: "auto", bottom: "106px", maxHeight: "min(28rem, 686px)" });
});

test("a popup stays on the screen", () => {
  assert.equal(sidesAt({ left: 990, top: 50, bottom: 80, width: 10 }, SCREEN).left, "624px");
  assert.equal(sidesAt({ left: -20, top: 50, bottom: 80, width: 40 }, SCREEN).left, "8px");
});

test("at an element out of sight, and on a phone, a popup stands in the middle", () => {
  assert.equal(sidesAt({ left: 100, top: -10, bottom: 20, width: 40 }, SCREEN).margin, "");
  assert.equal(sidesAt({ left: 100, top: 50, bottom: 80, width: 40 }, { width: 390, height: 844 }).margin, "");
});
