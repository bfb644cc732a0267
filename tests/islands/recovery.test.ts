/** Text that the page sends back for a reply that a crash cut off. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { giveBack } from "../../app/ui/transcript/recovery.ts";
import type { ComparedColumnView, ScreenPairView } from "../../app/ui/transcript/views.ts";

type Parts = ScreenPairView["parts"];
const text = (words: string): Parts => [{ type: "text", text: words }];

/** The relevant fields of a pair. */
function aPair(run_id: string, lifecycle: string, parts: Parts, error_class?: string): ScreenPairView {
  return { run_id, lifecycle, parts, error: error_class ? { error_class } : null } as unknown as ScreenPairView;
}

/** Returns the texts sent back while the page shows these, one after the other. */
function given(...shown: readonly ScreenPairView[][]): unknown[] {
  const found: unknown[] = [];
  const onGiven = (...args: unknown[]) => void found.push(args);
  for (const pairs of shown) giveBack({ pairs, compared: null, onGiven });
  for (const columns of shown) giveBack({ pairs: [], compared: { title: "", damage: "", columns: columns.map(renamed) }, onGiven });
  return found;
}

/** The same for a compared reply, which has another run. */
function renamed(pair: ScreenPairView): ComparedColumnView {
  return { ...pair, run_id: `compared ${pair.run_id}` } as unknown as ComparedColumnView;
}

/** Returns the texts sent back for a run as a pair, and as a compared reply. */
const both = (run: string, parts: readonly object[]): unknown[] => [
  [run, parts],
  [`compared ${run}`, parts],
];

test("text on the page that the server does not have is sent back once", () => {
  const after = [aPair("r1", "error", text("one"), "interrupted")];
  const before = [aPair("r1", "sending", []), aPair("r1", "awaiting", text("one, two"))].map((pair) => [pair]);

  assert.deepEqual(given(...before, [], after, after), both("r1", [{ type: "text", text: "one, two" }]));
});

test("a shorter text of a reply that still runs does not make the page forget the longer one", () => {
  const runs = ["one, two", "one"].map((words) => [aPair("r2", "awaiting", text(words))]);

  assert.equal(given(...runs, [aPair("r2", "error", text("one"), "interrupted")]).length, 2);
});

test("nothing is sent back if nothing is lost, or if the reply ended in another way", () => {
  const running = (run: string) => [aPair(run, "awaiting", text("one, two"))];

  assert.deepEqual(given(running("r3"), [aPair("r3", "error", text("one, two"), "interrupted")]), []);
  assert.deepEqual(given(running("r4"), [aPair("r4", "error", text("one"), "network")]), []);
  assert.deepEqual(given(running("r5"), [aPair("r5", "canceled", text("one"))]), []);
  assert.deepEqual(given([aPair("r6", "error", text("one"), "interrupted")]), []);
});

test("parts without a text keep their places", () => {
  const call = { type: "tool_call", input_json: "{}" } as unknown as Parts[number];
  const running = [aPair("r7", "awaiting", [call, ...text("one")])];

  assert.deepEqual(
    given(running, [aPair("r7", "error", [call], "interrupted")]),
    both("r7", [
      { type: "tool_call", text: "" },
      { type: "text", text: "one" },
    ]),
  );
});
