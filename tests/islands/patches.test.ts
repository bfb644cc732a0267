import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { apply, createReader, createReducer, type Delta, type Json, MisfitError, type Values } from "../../app/patches/apply.ts";

const HYDRATE = { is_hydrated_rx_state_: false };
const ROWS = [{ id: 1, text: "one" }, { id: 2, text: "two" }] as const;

mock.timers.enable({ apis: ["setTimeout"] });

/** A page: its state so far, and the number of its requests for everything. */
function page() {
  let state: Values = { rows: [] };
  const seen = { asked: 0, get: () => state };
  const reduce = createReducer(
    (old, whole) => (Object.keys(whole).length > 0 ? { ...old, ...whole } : old),
    () => seen.asked++,
  );
  const receive = (delta: Delta): Json | undefined => {
    state = reduce(state, delta);
    return state["rows"];
  };
  return Object.assign(seen, { receive });
}

const whole = (number: number, value: Json = ROWS, connection = "a"): Delta => ({
  rows: { $rev: [connection, number], whole: value },
});
const append = (number: number, text: string, connection = "a"): Delta => ({
  rows: { $rev: [connection, number], patch: [["+", [1, "text"], text]] },
});
const textOf = (rows: Json | undefined): string => (rows as unknown as typeof ROWS)[1].text;

test("a patch changes what it names and leaves the rest the same object", () => {
  const { receive } = page();
  const before = receive(whole(1)) as unknown as typeof ROWS;
  const after = receive(append(2, "!")) as unknown as typeof ROWS;

  assert.equal(after[1].text, "two!");
  assert.equal(after[0], before[0]);
  assert.notEqual(after, before);
});

test("what came before is ignored", () => {
  const it = page();
  it.receive(whole(1));
  it.receive(append(2, "!"));
  it.receive(append(3, "?"));

  assert.equal(textOf(it.receive(append(2, "!"))), "two!?");
  assert.equal(textOf(it.receive(whole(1))), "two!?");
  assert.equal(it.asked, 0);
});

test("a patch after a loss is refused, and everything is asked for once", () => {
  const it = page();
  it.receive(whole(1));

  assert.equal(textOf(it.receive(append(3, "!"))), "two");
  it.receive(append(4, "!"));
  it.receive(append(5, "!"));

  assert.equal(it.asked, 1);
});

test("after the answer nothing is asked for", () => {
  const it = page();
  it.receive(append(2, "!"));
  it.receive({ ...HYDRATE, ...whole(4) });
  mock.timers.tick(60_000);

  assert.equal(it.asked, 1);
});

test("after the answer a page may ask again", () => {
  const it = page();
  it.receive(whole(1));
  it.receive(append(3, "!"));
  it.receive({ ...HYDRATE, ...whole(4) });
  assert.equal(textOf(it.receive(append(5, "!"))), "two!");
  it.receive(append(7, "!"));

  assert.equal(it.asked, 2);
});

test("an answer that does not come is asked for again, a while later", () => {
  const it = page();
  it.receive(append(2, "!"));
  mock.timers.tick(9_000);
  it.receive(append(3, "!"));
  assert.equal(it.asked, 1);
  mock.timers.tick(2_000);
  assert.equal(it.asked, 2);

  mock.timers.tick(60_000);
  assert.equal(it.asked, 2);
  it.receive(append(4, "!"));
  assert.equal(it.asked, 3);
});

test("a patch of another connection never fits, its whole value always does", () => {
  const it = page();
  it.receive(whole(7));
  it.receive(append(8, "!", "b"));
  assert.equal(it.asked, 1);

  assert.equal(textOf(it.receive(whole(1, ROWS, "b"))), "two");
  assert.equal(textOf(it.receive(append(2, "!", "b"))), "two!");
});

test("a value without a revision takes no patch", () => {
  const it = page();
  it.receive(whole(1));
  assert.equal(it.receive({ rows: "plain" }), "plain");
  assert.equal(it.receive(append(2, "!")), "plain");
  assert.equal(it.asked, 1);
});

test("a patch with a path that leads nowhere is refused", () => {
  const it = page();
  it.receive(whole(1, [ROWS[0]]));
  it.receive(append(2, "!"));
  assert.equal(it.asked, 1);

  for (const [value, path] of [
    [[1], [3]],
    [{ a: 1 }, ["b"]],
    [null, ["b"]],
    ["text", [0]],
  ] as const)
    assert.throws(() => apply(value, [["=", path, 1]]), MisfitError);
  assert.throws(() => apply([1], [["#", [], [[0, 2]]]]), MisfitError);
  assert.throws(() => apply([1], [["+", [0], "a"]]), MisfitError);
  assert.throws(() => apply("a", [["#", [], []]]), MisfitError);
});

test("a delta that changes nothing leaves the state the same object", () => {
  const it = page();
  it.receive(whole(1));
  const before = it.get();
  it.receive(whole(1));

  assert.equal(it.get(), before);
});

test("texts without names reach the reducer, and one that was lost is noticed at the next", () => {
  const it = page();
  const read = createReader(JSON.parse);
  const receive = (data: string): Json | undefined => {
    const [, update] = read(data) as [string, { delta?: { state: Delta } }];
    return it.receive(update.delta?.state ?? {});
  };
  const named = { rows: { $rev: ["a", 2], place: 1, patch: [["+", [1, "text"], "!"]] } };
  it.receive(whole(1));
  receive(JSON.stringify(["event", { delta: { state: named } }]));

  assert.equal(textOf(receive("+1,0D?")), "two!?");
  assert.equal(textOf(receive("+1,0D?")), "two!?");
  assert.equal(it.asked, 0);
  assert.equal(textOf(receive("+2,0E?")), "two!?");
  assert.equal(it.asked, 0);
  assert.equal(textOf(receive("+1,0F?")), "two!?");
  assert.equal(it.asked, 1);
});
