import assert from "node:assert/strict";
import { test } from "node:test";
import { createFrames } from "../../app/patches/frames.ts";

/** A page whose frames come when told, and how often React heard of a change. */
function page() {
  const wanted: (() => void)[] = [];
  const subscribed = new Set<() => void>();
  const seen = { heard: 0, hidden: false };
  const frames = createFrames(
    (draw) => wanted.push(draw),
    () => seen.hidden,
  );
  const change = (grows: boolean) => {
    frames.arrived(grows);
    for (const listener of subscribed) listener();
  };
  const subscribe = (listener: () => void) => {
    subscribed.add(listener);
    return () => void subscribed.delete(listener);
  };
  const leave = frames.listen(subscribe, () => seen.heard++);
  const frame = () => {
    for (const draw of wanted.splice(0)) draw();
  };
  return Object.assign(seen, { grow: () => change(true), set: () => change(false), frame, leave, wanted });
}

test("the first growth since a frame is heard of at once, the next ones together with the frame", () => {
  const it = page();
  it.grow();
  assert.equal(it.heard, 1);
  it.grow();
  it.grow();
  assert.equal(it.heard, 1);
  it.frame();
  assert.equal(it.heard, 2);
  it.grow();
  assert.equal(it.heard, 2);
  it.frame();
  assert.equal(it.heard, 3);
});

test("after a frame without news growth is heard of at once again, and no frame is asked for in vain", () => {
  const it = page();
  it.grow();
  it.frame();
  assert.equal(it.wanted.length, 0);
  it.grow();
  assert.equal(it.heard, 2);
});

test("any other change is heard of at once", () => {
  const it = page();
  it.grow();
  it.set();
  it.grow();
  it.set();
  assert.equal(it.heard, 3);
});

test("a hidden page, which has no frames, hears of everything at once", () => {
  const it = page();
  it.grow();
  it.hidden = true;
  it.grow();
  it.grow();
  assert.equal(it.heard, 3);
});

test("who has left hears of nothing", () => {
  const it = page();
  it.grow();
  it.grow();
  it.leave();
  it.frame();
  it.grow();
  assert.equal(it.heard, 1);
});
