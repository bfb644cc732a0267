/**
 * The conversation on screen, as the server's live socket tells it: the one store of pairs in the browser.
 *
 * Not a cache of other conversations and not a place for drafts or choices. The protocol is docs/live-socket.md. Texts
 * grow in place, inside their part, and only whoever shows that part hears of it; all else replaces `snapshot()`.
 */
import { flushSync } from "react-dom";
import { asked, askedInAddress, learnZone, look, lookAfresh, looksAt, readerZone } from "./looking.js";

const NOTHING = Object.freeze({ id: "", link: "idle", pairs: [], older: false, running: "", retry: null, ended: null, view: null, queue: null, comparison: null, permissions: null });
const PAGE = 60;
const MOST = 500; // pairs of a page at most
const GONE = 4404;
const ZONE_MS = 2000; // after the opening, which has better things to do
const DRAFT_MS = 60;
const DRAFT_CHARS_PER_MS = 2000;
const SILENCE_MS = 45_000; // the server gives a sign of life every 20 s
const BACKOFF_MS = [250, 500, 1000, 2000, 4000, 8000];

let state = NOTHING;
let socket = null;
let cursor = null; // where the next older page begins, as the server wrote it
let attempts = 0;
let timer = 0;
let silence = 0;
let heardAt = Date.now(); // by the clock, which goes on while the machine sleeps; timers do not
let paging = null;
let told = ""; // the view this connection was asked for
let draft = "";
let draftTimer = 0;
const listeners = new Set();
const textListeners = new Map(); // pair id → Set of functions
const foreseen = new Map(); // pair id → the changes the server has not confirmed, oldest first

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

/** Show another conversation; the empty id shows none. Opening the one that is open changes nothing, unless it was gone: it may be back. */
export function open(id) {
  if (id === state.id && state.link !== "gone") return;
  clearTimeout(timer);
  attempts = 0;
  cursor = null;
  paging = null;
  disconnect();
  clearTimeout(draftTimer);
  draftTimer = 0;
  draft = "";
  lookAfresh();
  set({ ...NOTHING, id, link: id ? "connecting" : "idle" });
  if (id) connect();
}

/** The conversation a page address names, "" if none. */
export const conversationIn = (pathname) => /^\/c\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "";

/** Look at the conversation in another way: `filter`, `model`, `topic`. The answer comes as another `snapshot().view`. */
export function setView(change) {
  look(change);
  askForView();
}

/** Tell what stands in the composer, for the estimate. Long drafts are told less often. */
export function setDraft(text) {
  if (text === draft) return;
  draft = text;
  draftTimer ||= setTimeout(tellDraft, DRAFT_MS + text.length / DRAFT_CHARS_PER_MS);
}

/** What stands in the composer, as it was told last. */
export const drafted = () => draft;

/** What goes along with a send, so that what is in view is what is sent. */
export function looking() {
  const { filter = looksAt().filter, as_of } = state.view ?? {};
  const fields = { ...looksAt(), filter, as_of, zone: readerZone() };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Why a pair in view is not sent, null if it is. */
export function outOf(pair) {
  if (pair.out) return pair.out;
  const { boundary = null, boundary_reason } = state.view ?? {};
  return boundary !== null && pair.position < boundary && !isRunning(pair) ? boundary_reason : null;
}

/** Show a change of a pair before the server confirms it, whatever else it tells meanwhile. Returns what ends that. */
export function foresee(id, fields) {
  foreseen.set(id, [...(foreseen.get(id) ?? []), fields]);
  amend(id, fields);
  return () => {
    const left = foreseen.get(id).filter((each) => each !== fields);
    if (left.length) foreseen.set(id, left);
    else foreseen.delete(id);
  };
}

/** Show fields of a pair, if it is on the screen. */
export function amend(id, fields) {
  if (pairOf(id)) set({ ...state, pairs: merged(state.pairs, [{ id, ...fields }]) });
}

/** Bring in the page before the oldest pair we have. Resolves when it is there, at once when there is none. */
export function loadOlder() {
  if (!state.older || paging) return paging ?? Promise.resolve();
  const id = state.id;
  paging = fetchPage(id, cursor, PAGE)
    .then((page) => {
      if (state.id !== id) return;
      cursor = page.next_cursor;
      set({ ...state, pairs: merged(state.pairs, page.items.map(asFrame)), older: Boolean(page.next_cursor) });
      say({ type: "have", from: state.pairs[0]?.position ?? 0 });
    })
    .finally(() => (paging = null));
  return paging;
}

/** Read the pairs we have before a position again, from the newest: they may be others by now, or gone. */
async function readAgain(next, bound) {
  const id = state.id;
  const oldest = state.pairs[0].position;
  while (next && bound > oldest) {
    const page = await fetchPage(id, next, MOST).catch(() => null); // the next connection tries again
    if (!page || state.id !== id) return;
    next = page.next_cursor;
    const low = next ? page.items[0].position : 0;
    const others = state.pairs.filter((pair) => pair.position < low || pair.position >= bound);
    set({ ...state, pairs: merged(others, page.items.map(asFrame)), older: state.older && Boolean(next) });
    bound = low;
  }
  say({ type: "have", from: state.pairs[0]?.position ?? 0 });
}

async function fetchPage(id, from, limit) {
  const query = new URLSearchParams({ limit, ...looking(), ...(from && { cursor: from }) });
  const response = await fetch(`/api/v1/conversations/${id}/pairs?${query}`);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

function connect() {
  const id = state.id;
  const early = globalThis.inviewEarly; // see early.js
  delete globalThis.inviewEarly;
  const address = askedInAddress();
  const url = `${location.origin.replace(/^http/, "ws")}/api/v1/conversations/${id}/live${address ?? ""}`;
  const mine = (socket = early?.id === id && early.socket.readyState <= WebSocket.OPEN ? early.socket : new WebSocket(url));
  mine.onmessage = ({ data }) => mine === socket && receive(data);
  told = address === null ? "" : asked();
  mine.onopen = () => mine === socket && greet();
  if (mine === early?.socket) early.frames.forEach(receive);
  if (mine.readyState === WebSocket.OPEN) greet();
  mine.onclose = ({ code }) => {
    if (mine !== socket) return;
    socket = null;
    clearTimeout(silence);
    if (code === GONE) return set({ ...state, link: "gone" });
    set({ ...state, link: "lost" });
    timer = setTimeout(connect, BACKOFF_MS[Math.min(attempts++, BACKOFF_MS.length - 1)]);
  };
}

function greet() {
  askForView();
  if (draft) tellDraft();
}

function say(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function askForView() {
  if (socket?.readyState !== WebSocket.OPEN || told === asked()) return;
  told = asked();
  socket.send(told);
}

function tellDraft() {
  clearTimeout(draftTimer);
  draftTimer = 0;
  say({ type: "draft", text: draft });
}

function disconnect() {
  clearTimeout(silence);
  const old = socket;
  socket = null;
  old?.close();
}

/** Nothing comes any more, and nobody says why: do not wait for the other side to agree to a close. */
function reconnect() {
  if (!socket) return;
  disconnect();
  set({ ...state, link: "lost" });
  connect();
}

/** After a sleep: whether the connection outlived it shows too late by itself. */
const wake = () => socket && document.visibilityState === "visible" && Math.abs(Date.now() - heardAt) > SILENCE_MS && reconnect();

function receive(data) {
  clearTimeout(silence);
  silence = setTimeout(reconnect, SILENCE_MS);
  heardAt = Date.now();
  const kind = data[0];
  if (kind === "{") {
    const frame = JSON.parse(data);
    CONTROL[frame.type]?.(frame);
  } else if (kind in APPENDED) append(...APPENDED[kind], data.slice(1));
}

const APPENDED = { t: ["text", "text"], h: ["thinking", "text"], i: ["tool_call", "input_json"] };

// What a part has that has only begun: its texts grow from here.
const BEGUN = { text: { text: "" }, thinking: { text: "" }, tool_call: { input_json: "", state: "input-streaming" } };

const CONTROL = {
  view(said) {
    const estimate = said.estimate === null ? null : { ...state.view?.estimate, ...said.estimate };
    const frame = { ...state.view, ...said, estimate };
    // A refused filter changed nothing; and what we did not name is the conversation's own.
    const { filter, model } = looksAt();
    if (frame.error || filter === null || model === null) {
      look({ filter: frame.error ? frame.filter : (filter ?? frame.filter), model: model ?? frame.model });
      told = asked();
    }
    set({ ...state, view: frame });
  },
  window({ pairs, first, cursor: at, replace = false }) {
    attempts = 0;
    if (replace) {
      cursor = at ?? null;
      return set({ ...state, link: "open", pairs: pairs.map(withStreamed).map(withForeseen), older: first });
    }
    const joins = pairs.some((pair) => pairOf(pair.id));
    if (!joins) cursor = at ?? null;
    // Connected again: what stood among these and is not told is gone; of those before them nobody has told anything.
    const from = pairs[0]?.position ?? 0;
    const before = joins && first ? state.pairs.filter((pair) => pair.position < from) : [];
    set({ ...state, link: "open", pairs: joins ? merged(before, pairs) : pairs, older: joins && before.length ? state.older : first, queue: null, comparison: null });
    if (before.length) readAgain(at, from);
    else if (joins) cursor = at ?? null;
  },
  pairs: ({ pairs }) => set({ ...state, pairs: merged(state.pairs, pairs), retry: null }, true),
  tokens({ tokens }) {
    const sizes = new Map(Object.entries(tokens).flatMap(([first, run]) => run.map((size, place) => [Number(first) + place, size])));
    set({ ...state, pairs: state.pairs.map((pair) => (sizes.has(pair.position) ? { ...pair, tokens: sizes.get(pair.position) } : pair)) });
  },
  removed: ({ ids }) => set({ ...state, pairs: state.pairs.filter((pair) => !ids.includes(pair.id)) }),
  retry: (frame) => set({ ...state, retry: { ...frame, at: performance.now() + frame.seconds * 1000 } }),
  attempt: ({ pair_id }) => state.retry?.pair_id === pair_id && set({ ...state, retry: { ...state.retry, at: performance.now() } }),
  end: ({ pair }) => set({ ...state, pairs: merged(state.pairs, [pair]), retry: null, ended: pair.id }, true),
  part: ({ part }) => addPart({ ...BEGUN[part.type], ...part }),
  tool_call: (call) => changeParts((parts) => parts.map((part) => (part.type === "tool_call" && part.tool_call_id === call.tool_call_id ? { ...part, ...call } : part))),
  tool_progress: ({ type: _, tool_call_id, ...progress }) => changeParts((parts) => parts.map((part) => (part.type === "tool_call" && part.tool_call_id === tool_call_id ? { ...part, progress } : part))),
  queue: ({ queue }) => set({ ...state, queue }),
  permissions: ({ permissions }) => set({ ...state, permissions: permissions.map((each) => ({ ...each, until: performance.now() + each.seconds_left * 1000 })) }),
  comparison: ({ comparison }) => set({ ...state, comparison }),
  conversation: ({ conversation }) => set({ ...state, conversation }),
};

/** A pair as frames tell it: programs are told the whole reason why it is out, the page knows the boundary itself. */
const asFrame = (pair) => (pair.out === "over_budget" || pair.out === "filtered" ? { ...pair, out: null } : pair);

/** A pair whose reply is streaming, with what came of it so far; not with what came of another run of it. */
function withStreamed(pair) {
  const known = pairOf(pair.id);
  return isRunning(pair) && known?.run_id === pair.run_id ? { ...pair, parts: known.parts } : pair;
}

const withForeseen = (pair) => Object.assign(pair, ...(foreseen.get(pair.id) ?? []));

/** Put pairs where they belong by position; what a newer version of a pair does not say, the older one still says. */
function merged(old, news) {
  const byId = new Map(old.map((pair) => [pair.id, pair]));
  for (const pair of news) byId.set(pair.id, withForeseen({ ...byId.get(pair.id), ...pair }));
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
  setTimeout(() => learnZone() && askForView(), ZONE_MS);
  addEventListener("online", () => {
    if (state.link !== "lost") return;
    clearTimeout(timer);
    connect();
  });
  for (const event of ["focus", "pageshow"]) addEventListener(event, wake);
  document.addEventListener("visibilitychange", wake);
}
