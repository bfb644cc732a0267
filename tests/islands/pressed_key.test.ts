import assert from "node:assert/strict";
import { test } from "node:test";
import { keyIn } from "../../app/ui/kit/keys/pressed_key.ts";

const pressed = (key: string, code = "", shiftKey = false) => keyIn({ key, code, shiftKey });

test("a letter is written as it is typed, whatever the caps lock says", () => {
  assert.equal(pressed("j", "KeyJ"), "j");
  assert.equal(pressed("J", "KeyJ"), "j");
  assert.equal(pressed("G", "KeyG", true), "G");
});

test("a letter of another alphabet is the Latin one on its key", () => {
  assert.equal(pressed("о", "KeyJ"), "j");
  assert.equal(pressed("О", "KeyJ", true), "J");
});

test("signs, digits and named keys are themselves, the space bar has a name", () => {
  assert.equal(pressed("/", "Slash"), "/");
  assert.equal(pressed("?", "Slash", true), "?");
  assert.equal(pressed("Backspace", "Backspace"), "Backspace");
  assert.equal(pressed(" ", "Space"), "Space");
});
