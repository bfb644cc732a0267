import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting, grouped } from "../../app/ui/kit/controls/options.ts";

const row = (value: string, name: string, group = "", note = "") => ({
  value,
  name,
  note,
  group,
  group_note: "",
  usable: true,
  words: "",
});

const ROWS = [
  row("offline:demo", "Offline demo", "Offline"),
  row("peer:small", "small", "Peer", "200k"),
  row("peer:large", "large", "Peer", "1M"),
  row("", "", "Not set up yet"),
];

const values = (typed: string) => fitting(ROWS, typed).map(({ value }) => value);

test("every word may be in the group, the name, the value or the note", () => {
  assert.deepEqual(values("PEER small"), ["peer:small"]);
  assert.deepEqual(values(" :l  peer "), ["peer:large"]);
  assert.deepEqual(values("1m"), ["peer:large"]);
  assert.deepEqual(values("peer demo"), []);
});

test("a group without options is there while nothing is typed", () => {
  assert.equal(fitting(ROWS, " ").length, 4);
  assert.deepEqual(values("not set up"), []);
});

test("groups are listed once each, in the order of their first option", () => {
  const groups = grouped([...ROWS, row("offline:tiny", "tiny", "Offline")]);
  assert.deepEqual(
    groups.map(([first, ...others]) => [first.group, others.length]),
    [
      ["Offline", 1],
      ["Peer", 1],
      ["Not set up yet", 0],
    ],
  );
});
