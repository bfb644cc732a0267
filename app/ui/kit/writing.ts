/**
 * Help while writing markdown: lists continue, fences close, a key wraps the selection.
 *
 * Not a formatter: the text changes only when a key is pressed, and Ctrl+Z undoes it.
 */

const LIST_ITEM = /^(\s*)([-*+]|(\d+)([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$/;
const FENCE = /^\s*(```+|~~~+)[\w-]*$/;
const WRAPS: Readonly<Record<string, string>> = { b: "**", i: "*", e: "`" };

/**
 * A replacement for a line break: `cut` characters before the caret, `text` inserted, caret after `at` of its
 * characters.
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

/** Plan the line break after a line; null: an ordinary one. */
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

/** Insert at the caret; "" deletes the selection. Only this way can a text area's own undo undo it. */
export function insertText(text: string): void {
  document.execCommand(text ? "insertText" : "delete", false, text);
}
