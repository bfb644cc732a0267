/**
 * What stands between the pairs and is never sent: asked of the server when the page has nothing better to do.
 *
 * Not the look of it (nodes.jsx). It changes with titles and summaries, and when messages leave the conversation: then
 * it is asked again.
 */
import { useSyncExternalStore } from "react";
import { ask } from "./api.js";
import { snapshot, subscribe } from "./live.js";

const OPENED_MS = 700; // after what a person waits for
const SETTLE_MS = 120;
const NONE = Object.freeze([]);

let known = { id: "", items: NONE };
let seen = { id: "", conversation: undefined, pairs: 0, versions: 0, running: "" };
let timer = 0;
let asked = 0;
const listeners = new Set();

function listen(listener) {
  if (!listeners.size) stop = subscribe(notice);
  listeners.add(listener);
  notice();
  return () => {
    listeners.delete(listener);
    if (!listeners.size) stop();
  };
}
let stop = () => {};

/** The nodes of the conversation, in the order they stand. */
export const useNodes = (conversation) => useSyncExternalStore(listen, () => (known.id === conversation ? known.items : NONE), () => NONE);

/** Ask again: something was begun or came to an end that no frame of the socket tells of. */
export const renewNodes = () => load(snapshot().id);

/** Where they stand among these pairs: by the id of the pair before them, "" before the first. */
export function placeNodes(nodes, pairs) {
  const placed = new Map();
  for (const node of nodes) {
    const before = pairs.findLast(({ position }) => position <= node.after_position)?.id ?? "";
    placed.set(before, [...(placed.get(before) ?? []), node]);
  }
  return placed;
}

/** Look whether what was heard can have changed them. Text that grows is not heard here. */
function notice() {
  const { id, conversation, pairs, running, link } = snapshot();
  if (!id || link !== "open") return;
  const versions = pairs.reduce((sum, pair) => sum + (pair.versions ?? 1) + (pair.version ?? 1) / 4096, 0); // and which of them stand
  const now = { id, conversation, pairs: pairs.length, versions, running };
  const was = seen;
  seen = now;
  if (was.id !== id) return later(id, OPENED_MS);
  const left = now.pairs < was.pairs || (now.versions !== was.versions && now.pairs === was.pairs);
  if (conversation !== was.conversation || left) later(id, SETTLE_MS);
}

function later(id, ms) {
  clearTimeout(timer);
  timer = setTimeout(() => load(id), ms);
}

async function load(id) {
  const mine = ++asked;
  const answer = await ask("GET", `/conversations/${id}/nodes`).catch(() => null); // what cannot be read now is asked again
  if (!answer || mine !== asked || snapshot().id !== id) return;
  const before = new Map(known.items.map((node) => [node.id, node]));
  // What has not changed stays the same object: nothing of it is drawn again.
  const items = answer.items.map((node) => (JSON.stringify(before.get(node.id)) === JSON.stringify(node) ? before.get(node.id) : node));
  known = { id, items };
  listeners.forEach((listener) => listener());
}
