/**
 * The conversation on screen, for the scripts that are not Python yet: a mirror of what Reflex's states hold.
 *
 * `LiveBridge` (live_bridge.jsx) fills it from the vars and carries what is asked here back as events. Not a cache of
 * other conversations and not a place for drafts or choices.
 */

const NOTHING = Object.freeze({ id: "", link: "idle", pairs: [], older: false, running: "", retry: null, ended: null, view: null, comparison: null, conversation: 0 });

let state = NOTHING;
let server = null; // the events of the states
const listeners = new Set();
const waiting = new Set(); // who waits for other pairs

export const snapshot = () => state;
export const serverSnapshot = () => NOTHING;

/** Call `listener` after every change. Returns how to stop. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The events that scripts may send. */
export const states = () => server;

export const pairOf = (id) => state.pairs.find((pair) => pair.id === id);

/** The conversation a page address names, "" if none. */
export const conversationIn = (pathname) => /^\/c\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "";

/** Show another conversation; the empty id shows none. */
export function open(id) {
  if (id === state.id && state.link !== "gone") return;
  set({ ...NOTHING, id, link: id ? "connecting" : "idle" });
}

/** What the states hold by now. What is about another conversation than the one on screen is passed over. */
export function mirror(now, events) {
  server = events;
  if (now.id === state.id && now.id) {
    set({ ...state, ...now });
    for (const look of [...waiting]) look();
  }
}

/** The model that a send here would use, as far as it is known. */
export const modelHere = () => state.view?.model ?? null;

/** Why a pair in view is not sent, null if it is. */
export const outOf = (pair) => pair.out;

const first = () => state.pairs[0]?.position ?? 0;
const last = () => state.pairs.at(-1)?.position ?? 0;

/** Bring in the pairs before the oldest one we have. Resolves when they are there, at once when there are none. */
export function loadOlder() {
  if (!state.older || !server) return Promise.resolve();
  const before = first();
  return change(server.earlier, () => !state.older || first() < before);
}

/** Bring in the pairs after the newest one we have. */
export function showLater() {
  if (!state.newer || !server) return Promise.resolve();
  const before = last();
  return change(server.later, () => !state.newer || last() > before);
}

/** Go to the pair at a position, or the next one in view; 0 is the first. */
export const showPosition = (position) =>
  server ? change(() => server.position(position), () => (first() <= position || !state.older) && (last() >= position || !state.newer)) : Promise.resolve();

/** Resolves when the pairs of the conversation on screen are there. */
export const untilThere = () => (!state.id || state.link === "open" ? Promise.resolve() : change(() => {}, () => state.link === "open"));

/** Go to the newest pairs. */
export const showNewest = () => (state.newer && server ? change(server.newest, () => !state.newer) : Promise.resolve());

const PATIENCE_MS = 3000;

/** Ask for other pairs; resolves when `arrived`, or when that takes too long. */
function change(ask, arrived) {
  return new Promise((resolve) => {
    const look = () => {
      if (!arrived()) return;
      done();
    };
    const done = () => {
      waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, PATIENCE_MS);
    waiting.add(look);
    ask();
  });
}

function set(next) {
  state = next;
  listeners.forEach((listener) => listener());
}

if (typeof window !== "undefined") {
  open(conversationIn(location.pathname)); // before React has mounted anything
}
