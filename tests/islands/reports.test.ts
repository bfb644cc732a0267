import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Reports } from "../../app/ui/composer/reports.ts";

test("typed text is reported once in 60 ms, however many letters are typed, and later if it is long", (context) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  context.after(() => mock.timers.reset());
  const reports = new Reports();
  const seen: string[] = [];
  let text = "";
  const type = (letters: string) => {
    text += letters;
    reports.plan(text.length, () => seen.push(text));
  };

  type("a");
  mock.timers.tick(59);
  type("b");
  assert.deepEqual(seen, []);
  mock.timers.tick(2);
  assert.deepEqual(seen, ["ab"]);
  type("c");
  type("d");
  mock.timers.tick(61);
  assert.deepEqual(seen, ["ab", "abcd"]);

  type("x".repeat(200_000));
  mock.timers.tick(159);
  assert.equal(seen.length, 2);
  mock.timers.tick(2);
  assert.equal(seen.length, 3);
});

test("a planned report is cancelled by a send, and the next letter plans another", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const reports = new Reports();
  let count = 0;

  reports.plan(1, () => count++);
  reports.cancel();
  mock.timers.tick(100);
  assert.equal(count, 0);
  reports.plan(1, () => count++);
  mock.timers.tick(100);
  assert.equal(count, 1);
  mock.timers.reset();
});
