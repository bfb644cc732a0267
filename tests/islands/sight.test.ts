import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { attach, onLink } from "../../app/ui/kit/connection/link.ts";
import { reportSight } from "../../app/ui/kit/containers/sight.ts";

const listeners = new Map<string, () => void>();
const reports: boolean[] = [];
let isOnScreen = true;
attach(
  {
    on: (event: string, listener: () => void) => void listeners.set(event, listener),
    onAny() {},
    io: { on() {}, timeout() {}, _close() {} },
  },
  [],
);

function turn(on: boolean): void {
  isOnScreen = on;
  look();
}

function look(): void {
  reportSight(isOnScreen, (on) => void reports.push(on));
}

function tell(event: "connect" | "disconnect"): void {
  listeners.get(event)?.();
}

onLink(look);
beforeEach(() => void reports.splice(0));

// The module has a state, so each test continues after the one before it.
test("before the first connection nothing is reported, and then only what the server does not assume", () => {
  turn(false);
  assert.deepEqual(reports, []);

  tell("connect");
  assert.deepEqual(reports, [false]);

  turn(true);
  turn(true);
  assert.deepEqual(reports, [false, true]);
});

test("a change while the connection is lost is reported when it is back", () => {
  turn(false);
  tell("disconnect");
  turn(true);
  assert.deepEqual(reports, [false]);

  tell("connect");
  assert.deepEqual(reports, [false, true]);
});

test("a report that may not have arrived is repeated when the connection is back", () => {
  turn(false);
  turn(true);
  tell("disconnect");
  tell("connect");

  assert.deepEqual(reports, [false, true, true]);
});

test("a report that finds the connection dead is repeated when it is back", () => {
  isOnScreen = false;
  reportSight(false, () => tell("disconnect"));
  assert.deepEqual(reports, []);

  tell("connect");

  assert.deepEqual(reports, [false]);
});
