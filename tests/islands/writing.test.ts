/** The beginning of the next line after a line break, and the keys that wrap the selected text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyShortcut, planBreak } from "../../app/ui/kit/texts/writing.ts";

const CASES: readonly (readonly [string, string | undefined])[] = [
  ["- one", "\n- "],
  ["3. one", "\n4. "],
  ["- [x] done", "\n- [ ] "],
  ["text\n  * one", "\n  * "],
  ["```py", "\n\n```"],
  ["plain", undefined],
];

for (const [text, expected] of CASES)
  test(`after ${JSON.stringify(text)} comes ${JSON.stringify(expected)}`, () => {
    assert.equal(planBreak(text)?.text, expected);
  });

test("an empty item ends its list", () => {
  assert.deepEqual(planBreak("- one\n- "), { cut: 2, text: "", at: 0 });
});

test("a fence that closes is an end", () => {
  assert.equal(planBreak("```py\nx\n```"), null);
});

/** A text area with its caret or selection, changed by `execCommand` as a browser changes the one with the focus. */
class FakeBox {
  value: string;
  selectionStart: number;
  selectionEnd: number;
  constructor(value: string, start = value.length, end = start) {
    this.value = value;
    this.selectionStart = start;
    this.selectionEnd = end;
  }
  setSelectionRange(start: number, end: number) {
    [this.selectionStart, this.selectionEnd] = [start, end];
  }
  press(key: string, held: object): boolean {
    const execCommand = (_: string, _shows: boolean, text = "") => {
      const start = this.selectionStart;
      this.value = this.value.slice(0, start) + text + this.value.slice(this.selectionEnd);
      this.setSelectionRange(start + text.length, start + text.length);
    };
    Object.assign(globalThis, { document: { execCommand } });
    return applyShortcut({ key, ...held } as KeyboardEvent, this as unknown as HTMLTextAreaElement);
  }
  /** The text with a bar at the caret, or bars around the selection. */
  get shown(): string {
    const { value, selectionStart: start, selectionEnd: end } = this;
    const selected = start === end ? "" : `${value.slice(start, end)}|`;
    return `${value.slice(0, start)}|${selected}${value.slice(end)}`;
  }
}

test("Shift+Enter goes on with a list or a block of code, and ends a list at an empty item", () => {
  for (const [box, expected] of [
    [new FakeBox("- one"), "- one\n- |"],
    [new FakeBox("- one three", 5), "- one\n- | three"],
    [new FakeBox("```py"), "```py\n|\n```"],
    [new FakeBox("- one\n- "), "- one\n|"],
  ] as const) {
    assert.ok(box.press("Enter", { shiftKey: true }));
    assert.equal(box.shown, expected);
  }
});

test("an ordinary line break and one that replaces a selection belong to the browser", () => {
  for (const box of [new FakeBox("plain"), new FakeBox("- one", 2, 5)])
    assert.ok(!box.press("Enter", { shiftKey: true }));
  assert.ok(!new FakeBox("- one").press("Enter", { shiftKey: false }));
});

const WRAPPED: readonly (readonly [string, string])[] = [
  ["b", "see **|this|**"],
  ["i", "see *|this|*"],
  ["e", "see `|this|`"],
  ["u", "see |this|"],
];

for (const [key, expected] of WRAPPED)
  test(`Ctrl+${key} and Cmd+${key} make ${expected} of a selected word`, () => {
    for (const [held, shown] of [
      [{ ctrlKey: true }, expected],
      [{ metaKey: true }, expected],
      [{}, "see |this|"],
      [{ ctrlKey: true, shiftKey: true }, "see |this|"],
    ] as const) {
      const box = new FakeBox("see this", 4, 8);
      assert.equal(box.press(key, held), shown !== "see |this|");
      assert.equal(box.shown, shown);
    }
  });
