import assert from "node:assert/strict";
import { test } from "node:test";
import { type Burst, burstAt, makesText } from "../../app/ui/shell/bursts.ts";
import type { KeyBinding } from "../../app/ui/shell/views.ts";

const EDIT: KeyBinding = {
	action: "edit",
	key: "e",
	mode: "VIEW",
	fixed: false,
	place: null,
	pair: "must",
	sends: true,
	opens: true,
	inspector: false,
	ends: false,
};
const COPY: KeyBinding = { ...EDIT, sends: false, place: "copy" };
const FLAG: KeyBinding = { ...EDIT, opens: false };
const NEXT: KeyBinding = { ...COPY, pair: "none", place: "next_part" };
const FORK: KeyBinding = { ...EDIT, ends: true };

const after = (key: string, binding: KeyBinding): Burst => [
	{ key, at: 1000, binding },
];

test("a burst ends a quarter of a second after its last key", () => {
	const burst = after("e", EDIT);

	assert.equal(burstAt(burst, 1249), burst);
	assert.deepEqual(burstAt(burst, 1250), []);
	assert.deepEqual(burstAt([], 1), []);
});

test("a letter or a space right after a letter makes a text", () => {
	for (const key of ["x", "ж", " "]) {
		assert.ok(makesText(after("e", EDIT), key));
		assert.ok(makesText(after("y", COPY), key));
		assert.ok(!makesText([], key));
	}
	assert.ok(makesText(after("e", EDIT), "e"));
});

test("keys that people press as fast on purpose stay commands", () => {
	assert.ok(!makesText(after("j", NEXT), "e"));
	assert.ok(!makesText(after("a", FLAG), "a"));
	assert.ok(!makesText(after("3", EDIT), "j"));
	assert.ok(!makesText(after("a", EDIT), "3"));
	assert.ok(!makesText(after("?", EDIT), "f"));
	assert.ok(!makesText(after("b", FORK), "o"));
	assert.ok(!makesText(after("e", EDIT), "Enter"));
});
