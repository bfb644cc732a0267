/**
 * The cursor of the history: which pair and which part of it one is at, and how keys move it.
 *
 * The cursor is where the focus was last in the history, so a click moves it too and a screen reader reads what it comes
 * to. Not the window of pairs in the document: history.jsx brings a pair in when asked to (`onReveal`).
 */
import { loadOlder, outOf, snapshot } from "./live.js";

const STOPS = "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), summary, [tabindex]";
const MARGIN = 10;
const SCREEN = 0.8; // how much of what is seen a long part moves on by

let cursor = { pair: "", part: 0 };
let reveal = () => {};
let leaveEnd = () => {};
let toEnd = () => {};
let journey = 0; // the newest one wins: a walk to the beginning may take a while
const listeners = new Set();

export const currentPairId = () => cursor.pair;
export function subscribeCursor(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The history says how a pair comes into the document, how it stops following the end, and how it goes there. */
export function steerHistory(functions) {
  ({ reveal, leaveEnd, toEnd } = functions);
}

/**
 * Keep the cursor where the focus goes within the history, and the history one stop of the Tab key however long it is:
 * Tab goes through the pair one is at, with what stands beside it, then on to what comes after the history; on the way
 * back also through the head of the conversation. Returns how to stop.
 */
export function followFocus() {
  const focused = ({ target }) => {
    const box = target.closest?.("[data-pair]");
    if (!box) return;
    const part = partsOf(box).indexOf(target.closest("[data-part]"));
    setCursor(box.dataset.pair, part >= 0 ? part : cursor.pair === box.dataset.pair ? cursor.part : 0);
  };
  const tabbed = (event) => {
    if (event.key !== "Tab" || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = nextStop(event.target, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  addEventListener("focusin", focused);
  addEventListener("keydown", tabbed);
  return () => {
    removeEventListener("focusin", focused);
    removeEventListener("keydown", tabbed);
  };
}

/** Where Tab leads from within the history, null: wherever the browser says. */
function nextStop(from, back) {
  const view = from.closest?.(".scroll");
  if (!view || (from === view && back)) return null;
  const stops = [...document.querySelectorAll(STOPS)].filter((stop) => stop.tabIndex >= 0 && stop.checkVisibility());
  const box = from.closest("[data-pair]") ?? boxOf(here()?.pair ?? "");
  const pairs = [...view.querySelectorAll("[data-pair]")];
  // What belongs to no pair is at hand beside this one, and at the head of the conversation.
  const beside = [undefined, box, pairs[pairs.indexOf(box) - 1]];
  const isBeside = (stop) => !stop.closest("[data-pair]") && beside.includes(pairs.findLast((pair) => pair.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING));
  const mine = stops.filter((stop) => !view.contains(stop) || stop === view || box?.contains(stop) || isBeside(stop));
  const after = (stop) => from.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING;
  const before = (stop) => from.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING;
  return (back ? mine.findLast(before) : mine.find(after)) ?? null;
}

/** The pair that keys act on: the cursor's if it is in sight, else the newest in sight. Null: there is none. */
export function pairHere() {
  const { pair } = here() ?? {};
  if (!pair) return null;
  setCursor(pair, cursor.pair === pair ? cursor.part : 0);
  return snapshot().pairs.find(({ id }) => id === pair) ?? null;
}

/** The part the cursor is at: "request", or its place among the parts of the reply. */
export const partHere = () => elementOf(cursor)?.dataset.part ?? "request";

/** Focus what the cursor is at, without moving anything. */
export function focusHistory() {
  const at = here();
  if (at) focus(at.pair, at.part);
  else document.querySelector(".scroll")?.focus({ preventScroll: true });
}

export function nextPart() {
  return step((element, view) => element.bottom > view.bottom + 1 && "down", (at) => (at.part + 1 < partsOf(boxOf(at.pair)).length ? go(at.pair, at.part + 1) : goPairs(at.pair, 1)));
}

export function previousPart() {
  return step((element, view) => element.top < view.top - 1 && "up", (at) => (at.part ? go(at.pair, at.part - 1) : goPairs(at.pair, -1, -1)));
}

export const nextPair = () => move((at) => goPairs(at.pair, 1));

/** To the beginning of this pair if one is further down in it, else to the pair before. */
export const previousPair = () => move((at) => (at.part || isAbove(at.pair) ? go(at.pair, 0) : goPairs(at.pair, -1)));

export async function firstPair() {
  if (await loadUntil(() => false)) go(snapshot().pairs[0]?.id, 0, "top");
}

export function lastPair() {
  journey += 1;
  toEnd();
  const id = snapshot().pairs.at(-1)?.id;
  if (id) focus(id, -1);
}

export function newestReply() {
  journey += 1;
  const pair = snapshot().pairs.at(-1);
  if (pair) go(pair.id, pair.parts.length ? 1 : 0, "top");
}

/** To the oldest pair that the next send includes. Says whether there is one. */
export async function firstSent() {
  const isSent = (pair) => !outOf(pair) && pair.lifecycle !== "sending" && pair.lifecycle !== "awaiting";
  const { boundary } = snapshot().view ?? {};
  if (!(await loadUntil(() => boundary != null && snapshot().pairs[0]?.position <= boundary))) return true;
  const pair = snapshot().pairs.find(isSent);
  if (pair) go(pair.id, 0, "top");
  return Boolean(pair);
}

/** Another pair, when this one is about to go. */
export function leavePair(id) {
  const { pairs } = snapshot();
  const at = pairs.findIndex((pair) => pair.id === id);
  const next = pairs[at + 1] ?? pairs[at - 1];
  if (next) go(next.id, 0);
}

/** To a part of a pair; -1 is its last. `align`: "near" moves as little as may be, "top" puts it there. */
export function go(id, part, align = "near") {
  if (!id) return;
  reveal(id);
  focus(id, part);
  const arrive = (to) => {
    show(to);
    leaveEnd(align === "top");
  };
  arrive(align);
  const at = cursor;
  requestAnimationFrame(() => at === cursor && arrive("near")); // what had never been drawn has its height now
}

function move(go) {
  journey += 1;
  const at = here();
  if (!at) return;
  if (at.pair === cursor.pair) go(at);
  else focus(at.pair, at.part); // the cursor was out of sight: go on from what is seen
}

/** One part on. Within one that is higher than the screen: a screen on. */
const step = (within, beyond) =>
  move((at) => {
    const view = document.querySelector(".scroll");
    const direction = within(elementOf(at).getBoundingClientRect(), view.getBoundingClientRect());
    if (!direction) return beyond(at);
    leaveEnd(false);
    view.scrollTop += (direction === "down" ? 1 : -1) * view.clientHeight * SCREEN;
    return undefined;
  });

async function goPairs(id, by, part = 0) {
  const mine = journey;
  const place = () => snapshot().pairs.findIndex((pair) => pair.id === id);
  if (place() + by < 0 && snapshot().older) await loadOlder();
  if (mine !== journey) return;
  const next = snapshot().pairs[place() + by];
  if (next) go(next.id, part);
}

/** Bring in older pairs until `enough`. False if a later key called it off. */
async function loadUntil(enough) {
  const mine = ++journey;
  while (snapshot().older && !enough() && mine === journey) await loadOlder();
  return mine === journey;
}

function here() {
  const view = document.querySelector(".scroll")?.getBoundingClientRect();
  if (!view) return null;
  const inSight = (element) => {
    const { top, bottom } = element?.getBoundingClientRect() ?? {};
    return bottom > view.top + MARGIN && top < view.bottom - MARGIN;
  };
  const mine = boxOf(cursor.pair);
  if (mine && inSight(mine)) return { pair: cursor.pair, part: Math.min(cursor.part, partsOf(mine).length - 1) };
  const box = [...document.querySelectorAll("[data-pair]")].findLast(inSight);
  return box ? { pair: box.dataset.pair, part: Math.max(0, partsOf(box).findIndex(inSight)) } : null;
}

function focus(id, part) {
  const parts = partsOf(boxOf(id));
  const at = part < 0 ? parts.length - 1 : Math.min(part, parts.length - 1);
  setCursor(id, at);
  parts[at]?.focus({ preventScroll: true });
}

function setCursor(pair, part) {
  if (cursor.pair === pair && cursor.part === part) return;
  cursor = { pair, part };
  listeners.forEach((listener) => listener());
}

/** Scroll so that the part the cursor is at is seen: all of it, or its beginning if it is higher than the screen. */
function show(align) {
  const view = document.querySelector(".scroll");
  const element = elementOf(cursor);
  if (!view || !element) return;
  const { top, bottom } = view.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const head = cursor.part ? box.top : boxOf(cursor.pair).getBoundingClientRect().top + MARGIN;
  if (align === "top" || head < top + MARGIN || box.bottom - head > bottom - top - MARGIN * 2) view.scrollTop += head - top - MARGIN;
  else if (box.bottom > bottom - MARGIN) view.scrollTop += box.bottom - bottom + MARGIN;
}

const boxOf = (id) => document.querySelector(`[data-pair="${CSS.escape(id)}"]`);
const partsOf = (box) => [...(box?.querySelectorAll("[data-part]") ?? [])];
const elementOf = ({ pair, part }) => partsOf(boxOf(pair))[part];
const isAbove = (id) => boxOf(id).getBoundingClientRect().top < document.querySelector(".scroll").getBoundingClientRect().top - MARGIN;
