/** Keys pressed before a field or a dialog exists. Node has no document, so the elements are fakes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { handOver, holdKey, holdKeys, nextOpening } from "../../app/ui/kit/keys/early.ts";

/** A text field with the focus. `refuses`: a handler of the page uses each key and stops the browser's own action. */
class Field {
  readonly keys: string[] = [];
  submits = 0;
  readonly form = { requestSubmit: () => void (this.submits += 1) };
  readonly tag: "input" | "textarea";
  readonly refuses: boolean;
  constructor(tag: "input" | "textarea", refuses = false) {
    this.tag = tag;
    this.refuses = refuses;
  }
  matches(selector: string) {
    return selector.split(/[\s,[:]+/).includes(this.tag);
  }
  closest() {
    return null;
  }
  dispatchEvent({ key }: { key: string }) {
    this.keys.push(key);
    return !this.refuses;
  }
}

class FakeKey {
  readonly key: string;
  constructor(_: string, init: { key: string }) {
    this.key = init.key;
  }
}

/** Press Enter while a field is about to open, then give this field the focus. */
async function enterEarly(field: Field): Promise<void> {
  Object.assign(globalThis, { KeyboardEvent: FakeKey, document: { activeElement: field } });
  holdKeys(nextOpening(), true);
  const event = { key: "Enter", keyCode: 13, shiftKey: false, preventDefault() {} };
  assert.ok(holdKey(event as unknown as KeyboardEvent, () => undefined));
  handOver();
  await Promise.resolve();
}

test("an early Enter submits the form of the input, as a real one does", async () => {
  const field = new Field("input");
  await enterEarly(field);
  assert.deepEqual([field.keys, field.submits], [["Enter"], 1]);
});

test("an early Enter that the page handles submits nothing", async () => {
  const field = new Field("input", true);
  await enterEarly(field);
  assert.deepEqual([field.keys, field.submits], [["Enter"], 0]);
});

test("an early Enter in a text area is left to its handler", async () => {
  const field = new Field("textarea");
  await enterEarly(field);
  assert.deepEqual([field.keys, field.submits], [["Enter"], 0]);
});
