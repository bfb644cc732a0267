/**
 * Help with writing Markdown: a line break continues a list or closes a code fence, a key wraps the selected text.
 *
 * Not a formatter: the text changes only when a key is pressed, and Ctrl+Z undoes it.
 */

const LIST_ITEM = /^(\s*)([-*+]|(\d+)([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$/;
const FENCE = /^\s*(```+|~~~+)[\w-]*$/;
const WRAPS: Readonly<Record<string, string>> = { b: "**", i: "*", e: "`" };

/** Maximum number of characters that `insertText` inserts quickly. Browsers take long for each line of a longer text. */
export const LONGEST_UNDONE = 10_000;

/**
 * The change that replaces an ordinary line break: remove `cut` characters in front of the caret, insert `text`, and
 * put the caret after `at` characters of it.
 */
export interface LineBreak {
  readonly cut: number;
  readonly text: string;
  readonly at: number;
}

/** Handle a key in a text area. Returns whether it did something. */
export function applyShortcut(event: KeyboardEvent, box: HTMLTextAreaElement): boolean {
  if (event.key === "Enter" && event.shiftKey) return breakLine(box);
  const mark = WRAPS[event.key];
  if (!mark || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  wrap(box, mark);
  return true;
}

/** Return the change for a line break after the text `before`; null: an ordinary line break. */
export function planBreak(before: string): LineBreak | null {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const fence = FENCE.exec(line)?.[1];
  if (fence && opensFence(before)) return { cut: 0, text: `\n\n${fence}`, at: 1 };
  const item = LIST_ITEM.exec(line);
  if (!item) return null;
  const [, indent = "", bullet = "", number, mark = "", gap = "", task, text] = item;
  if (!text) return { cut: line.length, text: "", at: 0 }; // Enter on an empty item ends the list
  const next = `\n${indent}${number ? Number(number) + 1 + mark : bullet}${gap}${task ? "[ ] " : ""}`;
  return { cut: 0, text: next, at: next.length };
}

function breakLine(box: HTMLTextAreaElement): boolean {
  if (box.selectionStart !== box.selectionEnd) return false;
  const before = box.value.slice(0, box.selectionStart);
  const planned = planBreak(before);
  if (!planned) return false;
  if (planned.cut) box.setSelectionRange(before.length - planned.cut, before.length);
  insertText(planned.text);
  if (!planned.cut) box.selectionStart = box.selectionEnd = before.length + planned.at;
  return true;
}

const opensFence = (before: string): boolean =>
  before.split("\n").filter((line) => /^\s*(```|~~~)/.test(line)).length % 2 === 1;

function wrap(box: HTMLTextAreaElement, mark: string): void {
  const { selectionStart: from, selectionEnd: to } = box;
  insertText(mark + box.value.slice(from, to) + mark);
  box.setSelectionRange(from + mark.length, to + mark.length);
}

/** Insert a text at the caret; "" deletes the selection. In this way the undo of the text area can revert it. */
export function insertText(text: string): void {
  document.execCommand(text ? "insertText" : "delete", false, text);
}
