import assert from "node:assert/strict";
import { test } from "node:test";
import {
	bindingOf,
	type Spot,
	type Stroke,
} from "../../app/ui/shell/strokes.ts";
import type { KeyBinding } from "../../app/ui/shell/views.ts";

const PLAIN: Stroke = {
	key: "d",
	code: "",
	shiftKey: false,
	ctrlKey: false,
	metaKey: false,
	altKey: false,
};
const PAGE: Spot = {
	mode: "VIEW",
	keys: true,
	place: "page",
	presses: false,
};

const binding = (action: string, key: string): KeyBinding => ({
	action,
	key,
	mode: "VIEW",
	fixed: false,
	place: null,
	pair: "none",
	sends: true,
	opens: false,
	inspector: false,
	ends: false,
});
const TABLE = [
	binding("next_pair", "d"),
	binding("enter", "Enter"),
	binding("down", "Space"),
	binding("one_star", "1"),
	binding("undo", "Ctrl+Z"),
];

const called = (stroke: Partial<Stroke>, spot: Spot = PAGE) =>
	bindingOf({ ...PLAIN, ...stroke }, spot, TABLE, [])?.action;

test("a combination that is not in the table belongs to the browser", () => {
	assert.equal(called({ key: "d" }), "next_pair");
	assert.equal(called({ key: "z", ctrlKey: true }), "undo");
	for (const held of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }])
		for (const key of ["d", "1", "Enter"])
			assert.equal(called({ key, ...held }), undefined);
	assert.equal(called({ key: "z", ctrlKey: true, shiftKey: true }), undefined);
	assert.equal(called({ key: "F3" }), undefined);
});

test("a button keeps its space and its Enter, and no other key", () => {
	const onButton = { ...PAGE, presses: true };

	for (const key of ["Enter", " "]) {
		assert.notEqual(called({ key }), undefined);
		assert.equal(called({ key }, onButton), undefined);
	}
	assert.equal(called({ key: "d" }, onButton), "next_pair");
});

test("keys are letters where one writes, and act in the inspector only if they are meant to", () => {
	for (const place of ["", "inspector"] as const)
		assert.equal(called({ key: "d" }, { ...PAGE, place }), undefined);
	assert.equal(called({ key: "d" }, { ...PAGE, mode: "INPUT" }), undefined);
});

test("single keys are commands only while they are on, fixed keys always", () => {
	const off = { ...PAGE, keys: false };
	const table = [binding("edit", "e"), { ...binding("write", "Enter"), fixed: true }];
	const action = (key: string, spot: Spot) =>
		bindingOf({ ...PLAIN, key }, spot, table, [])?.action;

	assert.equal(action("e", PAGE), "edit");
	assert.equal(action("e", off), undefined);
	assert.equal(action("Enter", off), "write");
});

test("a key that a person chose replaces that of the table, and a removed one does nothing", () => {
	const action = (key: string, own: string, table = TABLE) =>
		bindingOf({ ...PLAIN, key }, PAGE, table, [{ action: "next_pair", key: own }])?.action;

	assert.equal(action("j", "j"), "next_pair");
	assert.equal(action("d", "j"), undefined);
	assert.equal(action("d", ""), undefined);
	assert.equal(action("1", ""), "one_star");
	const fixed = TABLE.map((one) => ({ ...one, fixed: true }));
	assert.equal(action("d", "", fixed), "next_pair");
});
