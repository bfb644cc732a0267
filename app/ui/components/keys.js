/**
 * Every key of the page in one table: what handles keys and what the sheet lists read it. Python has the same in `app/views/keys.py`.
 *
 * Not what an action does (actions.js). A key is written as the character it types, so "G" is Shift and g; "Space" has a
 * name. An action may be given another key, or none (""); keys that browsers and screen readers need go to nobody.
 */
import { preference } from "./preferences.js";

export { keyIn } from "$/islands/kit/pressed_key.ts";

const VIEW = "VIEW";
const INPUT = "INPUT";
const COMMAND = "COMMAND";

export const ACTIONS = [
  { id: "next_part", key: "j", mode: VIEW, name: "Next part", does: "The next part of the conversation; in a long one, further down in it" },
  { id: "previous_part", key: "k", mode: VIEW, name: "Previous part", does: "The part before; in a long one, further up in it" },
  { id: "previous_pair", key: "u", mode: VIEW, name: "Previous pair", does: "Up to the pair before" },
  { id: "next_pair", key: "d", mode: VIEW, name: "Next pair", does: "Down to the pair after" },
  { id: "first_pair", key: "g", mode: VIEW, name: "First pair", does: "To where the conversation begins" },
  { id: "last_pair", key: "G", mode: VIEW, name: "Last pair", does: "To the end; a reply that runs is followed again" },
  { id: "newest_reply", key: "n", mode: VIEW, name: "Newest reply", does: "To the first part of the newest reply" },
  { id: "first_sent", key: "O", mode: VIEW, name: "First pair that is sent", does: "To the oldest pair that the next send includes" },
  { id: "one_star", key: "1", mode: VIEW, name: "1 star", does: "Gives the pair one star" },
  { id: "two_stars", key: "2", mode: VIEW, name: "2 stars", does: "Gives the pair two stars" },
  { id: "three_stars", key: "3", mode: VIEW, name: "3 stars", does: "Gives the pair three stars" },
  { id: "no_stars", key: "Space", mode: VIEW, name: "No stars", does: "Takes the pair's stars away" },
  { id: "flag", key: "a", mode: VIEW, name: "Flag", does: "Flags the pair, or takes the flag away" },
  { id: "mark", key: "i", mode: VIEW, name: "In, out, neither", does: "Marks the pair as in, then as out, then as neither" },
  { id: "topic", key: "t", mode: VIEW, name: "Topic", does: "Files the pair under a topic" },
  { id: "copy", key: "y", mode: VIEW, name: "Copy", does: "Copies the part's text as it was written" },
  { id: "edit", key: "e", mode: VIEW, name: "Edit and resend", does: "Edits the request in its place; Enter sends it again" },
  { id: "regenerate", key: "r", mode: VIEW, name: "Answer again", does: "Asks for another reply, by this or another model, or by several side by side" },
  { id: "swap", key: "E", mode: VIEW, name: "Other version", does: "Swaps with the previous version, and back" },
  { id: "fork", key: "b", mode: VIEW, name: "Fork from here", does: "Starts a new conversation with copies of the pairs up to this one" },
  { id: "delete", key: "x", mode: VIEW, name: "Delete", does: "Deletes the pair, after asking where there is a reply" },
  { id: "preview", key: "p", mode: VIEW, name: "Preview", does: "Shows exactly what would be sent now" },
  { id: "branches", key: "B", mode: VIEW, name: "Branches", does: "Shows the tree of conversations forked from each other" },
  { id: "summarise", key: "s", mode: VIEW, name: "Summarise", does: "Has pairs in view summarised; the summary is then sent in their place" },
  { id: "filter", key: "/", mode: VIEW, name: "Filter", does: "To the filter bar" },
  { id: "help", key: "?", mode: VIEW, name: "Keys", does: "Opens this sheet" },
  { id: "undo", key: "Ctrl+Z", mode: VIEW, fixed: true, name: "Undo", does: "Takes the last change back; also a deletion from before the page was opened" },
  { id: "to_input", key: "Enter", mode: VIEW, fixed: true, name: "Write", does: "To the composer (INPUT)" },
  { id: "to_command", key: "Esc", mode: VIEW, fixed: true, name: "Filter", does: "To the filter bar (COMMAND)" },
  { id: "send", key: "Enter", mode: INPUT, fixed: true, name: "Send", does: "Sends what is written, Ctrl+Enter too; while a reply runs it waits in the queue" },
  { id: "dry_run", key: "Ctrl+Shift+Enter", mode: INPUT, fixed: true, name: "Dry run", does: "Shows exactly what would be sent, and sends nothing" },
  { id: "break", key: "Shift+Enter", mode: INPUT, fixed: true, name: "Line break", does: "Goes on in a new line; lists go on, fences close" },
  { id: "emphasis", key: "Ctrl+B Ctrl+I Ctrl+E", mode: INPUT, fixed: true, name: "Bold, italic, code", does: "Wraps what is selected" },
  { id: "compare", key: "Alt+Enter", mode: INPUT, fixed: true, name: "Compare", does: "Puts what is written to several models; shows the replies that are compared" },
  { id: "prompts", key: "/", mode: INPUT, fixed: true, name: "Prompts", does: "In an empty box: the prompts of your MCP servers" },
  { id: "edit_queued", key: "↑", mode: INPUT, fixed: true, name: "Edit what waits", does: "In an empty box: the last text of the queue" },
  { id: "leave_input", key: "Esc", mode: INPUT, fixed: true, name: "Read", does: "To the history (VIEW); the draft stays" },
  { id: "apply", key: "Enter", mode: COMMAND, fixed: true, name: "Apply", does: "Applies the filter and goes to the history (VIEW)" },
  { id: "leave_command", key: "Esc", mode: COMMAND, fixed: true, name: "Leave", does: "Back to the history (VIEW)" },
  { id: "stop", key: "Esc Esc", mode: "anywhere", fixed: true, name: "Stop", does: "Stops the reply that runs; what was received stays" },
  { id: "help_anywhere", key: "F1", mode: "anywhere", fixed: true, name: "Keys", does: "Opens this sheet" },
];

export const isFree = ({ fixed }) => !fixed;

/** The key of an action now, "" if it has none. */
export const keyOf = (action, keys = preference("keys")) => (isFree(action) ? keys[action.id] : undefined) ?? action.key;

/** As people write a key. */
export const keyName = (key) => (/^\p{Lu}$/u.test(key) ? `Shift+${key}` : key);

/** The action that a key of the reading mode calls, undefined if none. */
export const actionOf = (key) => ACTIONS.find((action) => isFree(action) && keyOf(action) === key);
