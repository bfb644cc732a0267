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

interface Box {
  value: string;
  selectionStart: number;
  selectionEnd: number;
  setSelectionRange: (from: number, to: number) => void;
}

/** Press a key with "word" selected. Returns the text with brackets around the selection, "" if nothing was done. */
function press(key: string, modifiers: Partial<KeyboardEvent>): string {
  const box: Box = {
    value: "a word.",
    selectionStart: 2,
    selectionEnd: 6,
    setSelectionRange: (from, to) => Object.assign(box, { selectionStart: from, selectionEnd: to }),
  };
  const execCommand = (_name: string, _isShown: boolean, text: string): boolean => {
    box.value = box.value.slice(0, box.selectionStart) + text + box.value.slice(box.selectionEnd);
    return true;
  };
  Object.assign(globalThis, { document: { execCommand } });
  const event = { key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers };
  if (!applyShortcut(event as KeyboardEvent, box as unknown as HTMLTextAreaElement)) return "";
  const { value, selectionStart: from, selectionEnd: to } = box;
  return `${value.slice(0, from)}[${value.slice(from, to)}]${value.slice(to)}`;
}

const WRAPPED: readonly (readonly [string, string])[] = [
  ["b", "a **[word]**."],
  ["i", "a *[word]*."],
  ["e", "a `[word]`."],
  ["u", ""],
];

for (const [key, expected] of WRAPPED)
  test(`Ctrl+${key} and Cmd+${key} make ${JSON.stringify(expected)}`, () => {
    assert.equal(press(key, { ctrlKey: true }), expected);
    assert.equal(press(key, { metaKey: true }), expected);
    assert.equal(press(key, {}), "");
    assert.equal(press(key, { ctrlKey: true, shiftKey: true }), "");
  });
