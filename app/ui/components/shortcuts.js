/**
 * Small help while writing markdown: lists go on, fences close, a pasted link wraps the selection.
 *
 * Not a formatter: nothing changes unless a key asks for it, Ctrl+Z takes it back, and what stands in the box is sent.
 */

const LIST_ITEM = /^(\s*)([-*+]|(\d+)([.)]))(\s+)(\[[ xX]\]\s+)?(.*)$/;
const FENCE = /^\s*(```+|~~~+)[\w-]*$/;
const WRAPS = { b: "**", i: "*", e: "`" };

/** Act on a key in a text area. Returns whether it did. */
export function applyShortcut(event) {
  const box = event.target;
  if (event.key === "Enter" && event.shiftKey) return breakLine(box);
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key in WRAPS) return wrap(box, WRAPS[event.key]);
  return false;
}

function breakLine(box) {
  if (box.selectionStart !== box.selectionEnd) return false;
  const before = box.value.slice(0, box.selectionStart);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (FENCE.test(line) && opensFence(before)) {
    insert(`\n\n${FENCE.exec(line)[1]}`);
    box.selectionStart = box.selectionEnd = before.length + 1;
    return true;
  }
  const item = LIST_ITEM.exec(line);
  if (!item) return false;
  const [, indent, bullet, number, mark, gap, task, text] = item;
  if (!text) {
    box.setSelectionRange(before.length - line.length, before.length);
    insert(""); // Enter on an empty item ends the list
    return true;
  }
  insert(`\n${indent}${number ? Number(number) + 1 + mark : bullet}${gap}${task ? "[ ] " : ""}`);
  return true;
}

const opensFence = (before) => before.split("\n").filter((line) => /^\s*(```|~~~)/.test(line)).length % 2 === 1;

function wrap(box, mark) {
  const { selectionStart: from, selectionEnd: to } = box;
  insert(mark + box.value.slice(from, to) + mark);
  box.setSelectionRange(from + mark.length, to + mark.length);
  return true;
}

// The one way to write into a text area that its own undo knows about.
const insert = (text) => document.execCommand(text ? "insertText" : "delete", false, text);
