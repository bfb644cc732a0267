/**
 * The conversation on screen, as the server's live socket tells it: the one store of pairs in the browser.
 *
 * Not a cache of other conversations and not a place for drafts or choices. The protocol is docs/live-socket.md. Texts
 * grow in place, inside their part, and only whoever shows that part hears of it; all else replaces `snapshot()`.
 */
import { flushSync } from "react-dom";

const NOTHING = Object.freeze({ id: "", link: "idle", pairs: [], older: false, running: "", retry: null, ended: null });
const PAGE = 60;
const GONE = 4404;
const SILENCE_MS = 45_000; // the server gives a sign of life every 20 s
const BACKOFF_MS = [250, 500, 1000, 2000, 4000, 8000];

let state = NOTHING;
let socket = null;
let cursor = null; // where the next older page begins, as the server wrote it
let attempts = 0;
let timer = 0;
let silence = 0;
let paging = null;
const listeners = new Set();
const textListeners = new Map(); // pair id → Set of functions

export const snapshot = () => state;
export const serverSnapshot = () => NOTHING;

/** Call `listener` after every change but growing text. Returns how to stop. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Call `listener` whenever a text of that pair has grown. Returns how to stop. */
export function onText(pairId, listener) {
  const set = textListeners.get(pairId) ?? textListeners.set(pairId, new Set()).get(pairId);
  set.add(listener);
  return () => {
    set.delete(listener);
    if (!set.size) textListeners.delete(pairId);
  };
}

export const pairOf = (id) => state.pairs.find((pair) => pair.id === id);

/** Show another conversation; the empty id shows none. Opening the one that is open changes nothing. */
export function open(id) {
  if (id === state.id) return;
  clearTimeout(timer);
  attempts = 0;
  cursor = null;
  paging = null;
  disconnect();
  set({ ...NOTHING, id, link: id ? "connecting" : "idle" });
  if (id) connect();
}

/** The conversation a page address names, "" if none. */
export const conversationIn = (pathname) => /^\/c\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "";

/** Bring in the page before the oldest pair we have. Resolves when it is there, at once when there is none. */
export function loadOlder() {
  if (!state.older || paging) return paging ?? Promise.resolve();
  const id = state.id;
  const query = new URLSearchParams({ limit: PAGE, ...(cursor && { cursor }) });
  paging = fetch(`/api/v1/conversations/${id}/pairs?${query}`)
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`HTTP ${response.status}`))))
    .then((page) => {
      if (state.id !== id) return;
      cursor = page.next_cursor;
      set({ ...state, pairs: merged(state.pairs, page.items), older: Boolean(page.next_cursor) });
    })
    .finally(() => (paging = null));
  return paging;
}

function connect() {
  const id = state.id;
  const early = globalThis.inviewEarly; // see early.js
  delete globalThis.inviewEarly;
  const url = `${location.origin.replace(/^http/, "ws")}/api/v1/conversations/${id}/live`;
  const mine = (socket = early?.id === id && early.socket.readyState <= WebSocket.OPEN ? early.socket : new WebSocket(url));
  mine.onmessage = ({ data }) => mine === socket && receive(data);
  if (mine === early?.socket) early.frames.forEach(receive);
  mine.onclose = ({ code }) => {
    if (mine !== socket) return;
    socket = null;
    clearTimeout(silence);
    if (code === GONE) return set({ ...state, link: "gone" });
    set({ ...state, link: "lost" });
    timer = setTimeout(connect, BACKOFF_MS[Math.min(attempts++, BACKOFF_MS.length - 1)]);
  };
}

function disconnect() {
  clearTimeout(silence);
  const old = socket;
  socket = null;
  old?.close();
}

function receive(data) {
  clearTimeout(silence);
  silence = setTimeout(() => socket?.close(), SILENCE_MS);
  const kind = data[0];
  if (kind === "{") {
    const frame = JSON.parse(data);
    CONTROL[frame.type]?.(frame);
  } else if (kind in APPENDED) append(...APPENDED[kind], data.slice(1));
}

const APPENDED = { t: ["text", "text"], h: ["thinking", "text"], i: ["tool_call", "input_json"] };

const CONTROL = {
  window({ pairs, first, cursor: at }) {
    attempts = 0;
    const joins = pairs.some((pair) => pairOf(pair.id));
    if (!joins) cursor = at ?? null;
    set({ ...state, link: "open", pairs: joins ? merged(state.pairs, pairs) : pairs, older: joins ? state.older : first });
  },
  pairs: ({ pairs }) => set({ ...state, pairs: merged(state.pairs, pairs), retry: null }, true),
  removed: ({ ids }) => set({ ...state, pairs: state.pairs.filter((pair) => !ids.includes(pair.id)) }),
  retry: (frame) => set({ ...state, retry: { ...frame, at: Date.now() + frame.seconds * 1000 } }),
  end: ({ pair }) => set({ ...state, pairs: merged(state.pairs, [pair]), retry: null, ended: pair.id }, true),
  part: ({ part }) => addPart({ text: "", ...part }),
  tool_call: (call) => changeParts((parts) => parts.map((part) => (part.tool_call_id === call.tool_call_id ? { ...part, ...call, type: part.type } : part))),
  conversation: ({ conversation }) => set({ ...state, conversation }),
};

/** Put pairs where they belong by position; what a newer version of a pair does not say, the older one still says. */
function merged(old, news) {
  const byId = new Map(old.map((pair) => [pair.id, pair]));
  for (const pair of news) byId.set(pair.id, { ...byId.get(pair.id), ...pair });
  return [...byId.values()].sort((a, b) => a.position - b.position);
}

const isRunning = (pair) => pair.lifecycle === "sending" || pair.lifecycle === "awaiting";

/** `now`: on the screen before the next frame of the socket is read. */
function set(next, now = false) {
  const running = next.pairs.findLast(isRunning)?.id ?? "";
  state = { ...next, running };
  if (now) flushSync(tell);
  else tell();
}

const tell = () => listeners.forEach((listener) => listener());

function append(type, field, text) {
  const part = pairOf(state.running)?.parts.at(-1);
  if (part?.type !== type) return addPart({ type, [field]: text });
  part[field] += text;
  textListeners.get(state.running)?.forEach((listener) => listener());
}

// The first piece of a part is never held back: it is drawn before this returns.
const addPart = (part) => changeParts((parts) => [...parts, part]);

function changeParts(change) {
  const pair = pairOf(state.running);
  if (pair) set({ ...state, pairs: merged(state.pairs, [{ ...pair, parts: change(pair.parts) }]), retry: null }, true);
}

if (typeof window !== "undefined") {
  open(conversationIn(location.pathname)); // as early as can be, long before React has mounted anything
  addEventListener("online", () => {
    if (state.link !== "lost") return;
    clearTimeout(timer);
    connect();
  });
}
