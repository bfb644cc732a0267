/**
 * The cursor of the transcript: the current pair and part, and how keys move it.
 *
 * The cursor is the last position of the focus among the pairs. So a click moves the cursor too, and a screen reader
 * reads the part that it moves to. The window decides which pairs are in the document, and adds one on request
 * (`Steering`).
 */
import type { Acts } from "../kit/keys/places.ts";
import { signal } from "../kit/signal.ts";
import { bringIn, heldNow, pairOf, pairsNow, showNewest, showPosition, untilThere } from "./held.ts";
import type { ScreenPairView } from "./views.ts";

/** Commands for the window: bring a pair into the document, stop following the end, scroll to the end. */
export interface Steering {
  reveal(id: string): void;
  leaveEnd(holds: boolean): void;
  toEnd(): Promise<void>;
}

interface Cursor {
  readonly pair: string;
  readonly part: number;
}

type Align = "near" | "top";
const STOPS =
  "a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), summary, [tabindex]";
const MARGIN = 10;
const SCREEN = 0.8; // the step in a long part, as a share of the visible height

let cursor: Cursor = { pair: "", part: 0 };
let steering: Steering | null = null;
let journey = 0; // number of the newest movement; older ones stop, as loading early pairs may take long
let waited = { id: "", by: 0 }; // steps from this pair to pairs that are still loading

/** The cursor, for subscribers. */
export const cursorAt = signal(cursor);

/** Register the window's commands. Returns a function that removes them. */
export function steer(next: Steering): () => void {
  steering = next;
  return () => {
    if (steering === next) steering = null;
  };
}

/** Mark the current pair in the document, also when it has just been loaded into it. */
export function markCurrent(): void {
  boxOf(cursor.pair)?.setAttribute("data-current", "true");
}

/**
 * Move the cursor with the focus among the pairs, and make the transcript short for the Tab key: Tab moves through the
 * current pair and the controls before and after it, then to the controls after the transcript; backwards also through
 * the head of the conversation. Returns a function that stops this.
 */
export function followFocus(): () => void {
  const focused = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    const box = target.closest<HTMLElement>("[data-pair]");
    if (!box) return;
    const id = idOf(box);
    const stop = target.closest<HTMLElement>("[data-part]");
    const part = stop ? partsOf(box).indexOf(stop) : -1;
    setCursor(id, part >= 0 ? part : cursor.pair === id ? cursor.part : 0);
  };
  const tabbed = (event: KeyboardEvent) => {
    if (event.key !== "Tab" || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = event.target instanceof Element ? nextStop(event.target, event.shiftKey) : null;
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

/** The element that Tab moves to from an element among the pairs, null: the browser decides. */
function nextStop(from: Element, back: boolean): HTMLElement | null {
  const view = from.closest(".scroll");
  if (!view || (from === view && back)) return null;
  const all = [...document.querySelectorAll<HTMLElement>(STOPS)];
  const stops = all.filter((stop) => stop.tabIndex >= 0 && stop.checkVisibility());
  const box = from.closest("[data-pair]") ?? boxOf(here()?.pair ?? "");
  const pairs = [...view.querySelectorAll("[data-pair]")];
  // Controls outside pairs can be reached directly before and after this pair, and at the head of the conversation.
  const beside = [undefined, box, box ? pairs[pairs.indexOf(box) - 1] : undefined];
  const isBeside = (stop: Element) =>
    !stop.closest("[data-pair]") && beside.includes(pairs.findLast((pair) => follows(stop, pair)));
  const mine = stops.filter((stop) => !view.contains(stop) || stop === view || box?.contains(stop) || isBeside(stop));
  return (back ? mine.findLast((stop) => follows(from, stop)) : mine.find((stop) => follows(stop, from))) ?? null;
}

const follows = (node: Node, before: Node): boolean =>
  (before.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

/** The pair that keys act on: the cursor's pair if it is visible, else the newest visible pair. Null: there is none. */
function pairHere(): ScreenPairView | null {
  const pair = here()?.pair;
  if (!pair) return null;
  setCursor(pair, cursor.pair === pair ? cursor.part : 0);
  return pairOf(pair) ?? null;
}

/** Focus the part at the cursor, without scrolling. */
function focusTranscript(): void {
  const at = here();
  if (at) focus(at.pair, at.part);
  else view()?.focus({ preventScroll: true });
}

/** Go to the start of this pair if the cursor is further down in it, else to the previous pair. */
const previousPair = (): void => move((at) => (at.part || isAbove(at.pair) ? go(at.pair, 0) : goPairs(at.pair, -1)));

async function firstPair(): Promise<void> {
  const mine = ++journey;
  await untilThere();
  const isLoaded = mine === journey && (await showPosition(0));
  if (isLoaded && mine === journey) go(pairsNow()[0]?.id, 0, "top");
}

async function lastPair(): Promise<void> {
  const mine = ++journey;
  await steering?.toEnd();
  const id = pairsNow().at(-1)?.id;
  if (mine === journey && id) focus(id, -1);
}

async function newestReply(): Promise<void> {
  const mine = ++journey;
  await showNewest();
  const pair = pairsNow().at(-1);
  if (mine === journey && pair) go(pair.id, pair.parts.length ? 1 : 0, "top");
}

/** Scroll the transcript as a key does in it, without moving the focus. False: there is no transcript. */
function movePage(key: string): boolean {
  const seen = view();
  if (!seen || !pairsNow().length) return false;
  if (key === "Home") void showBeginning();
  else if (key === "End") void steering?.toEnd();
  else seen.scrollTop += (key === "PageUp" ? -1 : 1) * seen.clientHeight * SCREEN;
  return true;
}

async function showBeginning(): Promise<void> {
  const mine = ++journey;
  const isLoaded = await showPosition(0);
  const [first] = pairsNow();
  if (mine !== journey || !isLoaded || !first) return;
  steering?.reveal(first.id);
  view()?.scrollTo(0, 0);
}

/** Go to the oldest pair that the next send includes, if there is one. */
async function firstSent(): Promise<void> {
  const position = heldNow()?.firstSent ?? 0;
  if (position === 0) return;
  const mine = ++journey;
  const isLoaded = await showPosition(position);
  if (isLoaded && mine === journey) go(pairsNow().find((pair) => pair.position === position)?.id, 0, "top");
}

/** Go to a neighbour of a pair that is about to be removed, after a closing dialog has returned the focus. */
function leavePair(id: string): void {
  const pairs = pairsNow();
  const at = pairs.findIndex((pair) => pair.id === id);
  setTimeout(() => go((pairs[at + 1] ?? pairs[at - 1])?.id, 0));
}

/** Copy the source text of the part at the cursor. */
async function copyPart(): Promise<void> {
  const pair = pairHere();
  if (!pair) return;
  const at = elementOf(cursor)?.dataset.part ?? "request";
  const part = pair.parts[Number(at)];
  const text = part && ("text" in part ? part.text : "input_json" in part ? part.input_json : "");
  const words = at === "request" ? pair.user_text : (text ?? "");
  const [written] = await Promise.allSettled([navigator.clipboard?.writeText(words) ?? Promise.reject()]);
  heldNow()?.onCopied?.(pair.id, at === "request", written.status === "fulfilled");
}

/** The actions of the transcript for keys and other regions of the page. */
export const WALKS: Acts = {
  transcript: focusTranscript,
  page: movePage,
  pair: () => pairHere()?.id ?? "",
  next_part: () => step(1),
  previous_part: () => step(-1),
  next_pair: () => move((at) => goPairs(at.pair, 1)),
  previous_pair: previousPair,
  first_pair: firstPair,
  last_pair: lastPair,
  newest_reply: newestReply,
  first_sent: firstSent,
  copy: copyPart,
  leave: leavePair,
  delete: (id) => !pairOf(id)?.parts.length && leavePair(id), // with a reply, a dialog asks for confirmation first
};

/** Keep the scroll position although there is more below. Focus a part of the pair `id`; "": do not move the focus. */
export function stayAt(id: string, part: number): void {
  journey += 1;
  if (id) focus(id, part);
  steering?.leaveEnd(true);
}

/** Go to a part of a pair; -1 is the last. `align`: "near" scrolls as little as possible, "top" puts it at the top. */
export function go(id: string | undefined, part: number, align: Align = "near"): void {
  waited = { id: "", by: 0 };
  if (!id) return;
  steering?.reveal(id);
  focus(id, part);
  const arrive = (to: Align) => {
    show(to);
    steering?.leaveEnd(align === "top");
  };
  arrive(align);
  const at = cursor;
  const mine = journey; // a step down within the same part counts as a new movement
  requestAnimationFrame(() => at === cursor && mine === journey && arrive("near")); // all heights are final now
}

function move(onward: (at: Cursor) => void): void {
  journey += 1;
  const at = here();
  if (!at) return;
  if (at.pair === cursor.pair) onward(at);
  else focus(at.pair, at.part); // the cursor was out of sight, so start at the visible pair
}

/** Go one part forward or back. If the part extends beyond the screen, scroll by most of a screen instead. */
function step(sign: 1 | -1): void {
  move((at) => {
    const seen = view();
    const [part, edge] = [elementOf(at), seen].map((each) => each?.getBoundingClientRect());
    const reaches = part && edge && (sign > 0 ? part.bottom > edge.bottom + 1 : part.top < edge.top - 1);
    if (seen && reaches) {
      steering?.leaveEnd(false);
      seen.scrollTop += sign * seen.clientHeight * SCREEN;
    } else if (sign > 0 ? at.part + 1 < partsOf(boxOf(at.pair)).length : at.part) go(at.pair, at.part + sign);
    else goPairs(at.pair, sign, sign > 0 ? 0 : -1);
  });
}

async function goPairs(id: string, by: number, part = 0): Promise<void> {
  const mine = journey;
  const far = by + (waited.id === id ? waited.by : 0);
  const place = () => pairsNow().findIndex((pair) => pair.id === id) + far;
  waited = { id, by: far };
  if (place() < 0) await bringIn("earlier");
  else if (place() >= pairsNow().length) await bringIn("later");
  if (mine === journey) go(pairsNow()[place()]?.id, part);
}

function here(): Cursor | null {
  const seen = view()?.getBoundingClientRect();
  if (!seen) return null;
  const inSight = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > seen.top + MARGIN && top < seen.bottom - MARGIN;
  };
  const mine = boxOf(cursor.pair);
  if (mine && inSight(mine)) return { pair: cursor.pair, part: Math.min(cursor.part, partsOf(mine).length - 1) };
  const box = [...document.querySelectorAll<HTMLElement>("[data-pair]")].findLast(inSight);
  return box ? { pair: idOf(box), part: Math.max(0, partsOf(box).findIndex(inSight)) } : null;
}

function focus(id: string, part: number): void {
  const parts = partsOf(boxOf(id));
  const at = part < 0 ? parts.length - 1 : Math.min(part, parts.length - 1);
  setCursor(id, at);
  parts[at]?.focus({ preventScroll: true });
}

function setCursor(pair: string, part: number): void {
  if (cursor.pair === pair && cursor.part === part) return;
  if (cursor.pair !== pair) boxOf(cursor.pair)?.removeAttribute("data-current");
  cursor = { pair, part };
  markCurrent();
  cursorAt.set(cursor);
}

/** Scroll until the part at the cursor is visible: all of it, or its start if it is higher than the screen. */
function show(align: Align): void {
  const seen = view();
  const element = elementOf(cursor);
  if (!seen || !element) return;
  const { top, bottom } = seen.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  const head = cursor.part ? box.top : topOf(cursor.pair) + MARGIN;
  if (align === "top" || head < top + MARGIN || box.bottom - head > bottom - top - MARGIN * 2)
    seen.scrollTop += head - top - MARGIN;
  else if (box.bottom > bottom - MARGIN) seen.scrollTop += box.bottom - bottom + MARGIN;
}

const view = (): HTMLElement | null => document.querySelector<HTMLElement>(".scroll");
const boxOf = (id: string): HTMLElement | null =>
  id ? document.querySelector<HTMLElement>(`[data-pair="${CSS.escape(id)}"]`) : null;
const idOf = (box: HTMLElement): string => box.dataset.pair ?? "";
const partsOf = (box: Element | null): HTMLElement[] => [...(box?.querySelectorAll<HTMLElement>("[data-part]") ?? [])];
const elementOf = ({ pair, part }: Cursor): HTMLElement | undefined => partsOf(boxOf(pair))[part];
const topOf = (id: string): number => boxOf(id)?.getBoundingClientRect().top ?? 0;
const isAbove = (id: string): boolean => topOf(id) < (view()?.getBoundingClientRect().top ?? 0) - MARGIN;
