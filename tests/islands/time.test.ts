import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, clock, clockLead, secondsLeft } from "../../app/ui/kit/clock/time.ts";

const NOW = new Date(2026, 10, 23, 14, 5).getTime();
const before = (minutes: number) => ago(new Date(NOW - minutes * 60_000), NOW);

test("a moment is said in the unit that fits, and as a day after a week", () => {
  assert.equal(before(0.9), "just now");
  assert.equal(before(59), "59m ago");
  assert.equal(before(60), "1h ago");
  assert.equal(before(25 * 60), "1d ago");
  assert.equal(before(7 * 24 * 60), "16 Nov");
  assert.equal(before(365 * 24 * 60), "23 Nov 2025");
  assert.equal(before(-5), "just now");
});

test("the time of day has two digits each", () => {
  assert.equal(clock(new Date(2026, 0, 1, 4, 7)), "04:07");
});

test("a wait counts down with the clock and ends at zero", () => {
  const start = Date.parse("2026-12-01T12:00:00Z");
  const until = "2026-12-01T12:00:30+00:00";
  assert.deepEqual(
    [0, 500, 29_000, 29_001, 30_000, 90_000].map((passed) => secondsLeft(until, start + passed)),
    [30, 30, 1, 1, 0, 0],
  );
  assert.equal(secondsLeft("", start), 0);
});

test("a countdown that is mounted again continues, whatever the browser's clock", () => {
  const received = Date.parse("2026-12-01T09:00:00Z");
  const [now, until] = ["2026-12-01T12:00:00+00:00", "2026-12-01T12:01:00+00:00"];
  const left = (at: number) => secondsLeft(until, at + clockLead(now, at));
  assert.deepEqual([0, 50_000, 61_000].map((passed) => left(received + passed)), [60, 10, 0]);
});
