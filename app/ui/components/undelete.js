/**
 * Bringing back what was deleted from the trash of the server: also after a reload, and from another tab.
 *
 * Not the undo of what this tab did itself (toasts.js), and not the page of the trash (trash.jsx).
 */
import { ask } from "./api.js";
import { conversationIn } from "./live.js";
import { hasUndo, tell } from "./toasts.js";

const RECENT_MS = 10 * 60_000; // offered unasked
const UNDO_MS = 24 * 3600_000; // brought back by Ctrl+Z
const offered = new Set();

/** Say that something was deleted, and offer to bring it back. Once, whoever says so. */
export function offer(id, words, kind) {
  if (offered.has(id)) return;
  offered.add(id);
  tell(words, () => restore(id, kind));
}

export async function restore(id, kind) {
  offered.delete(id);
  await ask("POST", `/trash/${id}/restore`);
  if (kind === "conversation") dispatchEvent(new CustomEvent("inview:go", { detail: `/c/${id}` }));
}

/** After a reload: what was deleted here a moment ago. Not if something was done since, which is what one takes back now. */
export async function recall() {
  const entry = await newest().catch(() => null);
  if (entry && age(entry) < RECENT_MS && !hasUndo()) offer(entry.id, describe(entry), entry.kind);
}

/** Bring back what was deleted last. Resolves with what that was, "" if there is nothing. */
export async function bringBack() {
  const entry = await newest();
  if (!entry || age(entry) > UNDO_MS) return "";
  await restore(entry.id, entry.kind);
  return describe(entry);
}

/** On the page of a conversation its own pairs, elsewhere anything. */
async function newest() {
  const conversation = conversationIn(location.pathname);
  const { items } = await ask("GET", conversation ? `/conversations/${conversation}/trash?limit=1` : "/trash?limit=1");
  return items[0];
}

const age = ({ deleted_at }) => Date.now() - Date.parse(deleted_at);
const shortened = (text) => (text.length > 50 ? `${text.slice(0, 49)}…` : text);

export function describe({ kind, title, snippet, count }) {
  const name = kind === "conversation" ? title || snippet : snippet || title;
  if (kind === "conversation") return `Deleted the conversation “${shortened(name || "New conversation")}”`;
  return count === 1 ? `Deleted the pair “${shortened(name)}”` : `Deleted ${count} pairs from “${shortened(name)}” on`;
}
