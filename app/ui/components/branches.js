/**
 * The tree of branches that the conversation on screen is in, and forking: a new conversation with copies of pairs.
 *
 * The tree is read when there is nothing better to do, and again when the server says that the conversation is another:
 * a fork made in another tab is seen here too. Not its look (branches.jsx, fork_mark.jsx).
 */
import { ask } from "./api.js";
import { decide } from "./dialogs.js";
import { plural } from "./figures.js";
import { whenIdle } from "./idle.js";
import { looking, snapshot, subscribe } from "./live.js";
import { tell, tellFault } from "./toasts.js";

const NONE = Object.freeze({ items: [], at: new Map(), fault: "" });
const nothing = Object.freeze([]);

let tree = NONE;
let read = { id: "", conversation: null }; // for which the tree was asked last
let callOff = () => {};
let forking = false;
const listeners = new Set();

/** `items`: its conversations, parents before their forks. `fault`: why it could not be read. */
export const branches = () => tree;
export const serverBranches = () => NONE;
export function subscribeBranches(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The forks that leave after this pair. */
export const forksAt = (pairId) => tree.at.get(pairId) ?? nothing;

/** Read the tree of a conversation. What is shown of it stays until then. */
export async function readBranches(id) {
  if (!tree.items.some((item) => item.id === id)) set(NONE);
  try {
    const { items } = await ask("GET", `/conversations/${id}/branches`);
    if (snapshot().id === id) set({ items, at: byPair(items), fault: "" });
  } catch ({ message }) {
    if (snapshot().id === id) set({ ...tree, fault: message });
  }
}

/**
 * Fork the conversation on screen after `pair`, or (null) after its newest one, and go there. Where a filter hides pairs
 * one is asked which are meant, unless that is said: `seen`.
 */
export async function fork(pair, seen) {
  if (forking) return;
  forking = true; // a second click, a key held down
  try {
    await forkOnce(pair, seen);
  } catch (problem) {
    tellFault(problem);
  } finally {
    forking = false;
  }
}

async function forkOnce(pair, seen) {
  const { id, view } = snapshot();
  const which = seen ?? (view?.filter ? await decide({ name: "fork", pair, sentence: view.sentence }) : "all");
  if (!which) return;
  const made = await ask("POST", `/conversations/${id}/fork`, { ...(which === "seen" && looking()), ...(pair && { pair_id: pair.id }) });
  go(made.id);
  tell(`Forked: a new conversation with ${plural(made.pair_count, "pair")}. The other one is as it was.`, () => takeBack(made, id));
}

/** A fork in which something was said since is not taken away with one key. */
async function takeBack(made, origin) {
  const now = await ask("GET", `/conversations/${made.id}`);
  if (now.pair_count !== made.pair_count) throw new Error("Something was said in the fork since. Delete it in the list of conversations if you want to.");
  await ask("DELETE", `/conversations/${made.id}`);
  if (snapshot().id === made.id) go(origin);
}

const go = (id) => dispatchEvent(new CustomEvent("inview:go", { detail: `/c/${id}` }));

function byPair(items) {
  const found = new Map();
  for (const item of items) if (item.fork) found.set(item.fork.pair_id, [...(found.get(item.fork.pair_id) ?? nothing), item]);
  return found;
}

function set(next) {
  tree = next;
  listeners.forEach((listener) => listener());
}

function watch() {
  const { id, link, conversation } = snapshot();
  if (link !== "open" || (id === read.id && conversation === read.conversation)) return;
  read = { id, conversation };
  callOff();
  callOff = whenIdle(() => readBranches(id));
}

if (typeof window !== "undefined") {
  subscribe(watch);
  watch();
}
