/**
 * The end of the transcript that the view follows. After a send it is the scroll position with the new request at the
 * top of the window: the stylesheet reserves space for the reply below it.
 */

/**
 * How a person reads the transcript. `follows`: the view stays at the end while content grows. `selects`: text in the
 * transcript is selected, so the view does not follow until a click, a jump or a send. `held` is the scroll position
 * that a person chose by a command, -1 for none: at this position the view does not start to follow, even near the end.
 * `top` is the pair whose request is at the top of the window, "" for none. `at` is the last known scroll position.
 */
export interface Reading {
  follows: boolean;
  selects: boolean;
  held: number;
  top: string;
  at: number;
}

/** The id of a request that has no pair yet. */
export const SENDING = "sending";

/** A view that is fewer pixels above the end than this counts as being at the end. */
export const NEAR_PX = 48;
const SHORT = 0.5; // share of the window: a higher request does not stay at the top

export const rowOf = (view: Element, id: string): HTMLElement | null =>
  view.querySelector(`[data-pair="${CSS.escape(id)}"], [data-sending="${CSS.escape(id)}"]`);

/** The element at the top of the window while a reply streams: the request or, if that is long, the reply. */
export function topOf(view: HTMLElement, id: string): HTMLElement | null {
  const row = rowOf(view, id);
  const request = row?.querySelector<HTMLElement>(".request, .edit-form");
  if (!row || !request) return null;
  return request.offsetHeight <= view.clientHeight * SHORT ? row : row.querySelector(".reply [data-part]");
}

/** Scroll to the request of this pair, and keep it at the top of the window from now on. */
export function keepAtTop(view: HTMLElement, reading: Reading, id: string): void {
  reading.top = id;
  view.dataset.room = "";
  goTo(view, reading, endOf(view, reading));
}

/** Make the view follow the end of the content again, not the request at the top of the window. */
export function leaveTop(view: HTMLElement, reading: Reading): void {
  reading.top = "";
  delete view.dataset.room;
}

/** The scroll position of the end, in pixels. */
export function endOf(view: HTMLElement, { top }: Reading): number {
  const end = view.scrollHeight - view.clientHeight;
  const first = top && topOf(view, top);
  if (!first) return end;
  const place = first.getBoundingClientRect().top - view.getBoundingClientRect().top + view.scrollTop;
  return Math.min(end, Math.floor(place));
}

/** True if there is content below the window while the request is at its top. */
export const hasMoreBelow = (view: HTMLElement, reading: Reading): boolean =>
  view.scrollHeight - view.clientHeight - endOf(view, reading) > 1;

/** True if the view is near enough to the end to follow it. */
export const isNearEnd = (view: HTMLElement, reading: Reading): boolean =>
  endOf(view, reading) - view.scrollTop < NEAR_PX;

/** True if the reply of this pair begins above the bottom of the window. Without a reply, the pair counts. */
export function isInSight(view: HTMLElement, id: string): boolean {
  const row = rowOf(view, id);
  const first = row?.querySelector(".reply [data-part]") ?? row;
  return !!first && first.getBoundingClientRect().top < view.getBoundingClientRect().bottom - NEAR_PX;
}

/** Scroll down to the end. Never scroll up: a person may have scrolled into the reserved space below it. */
export function goToEnd(view: HTMLElement, reading: Reading): void {
  const end = endOf(view, reading);
  if (view.scrollTop < end || !reading.top) goTo(view, reading, end);
}

/** Set the scroll position, so that it does not count as scrolled by a person. */
export function goTo(view: HTMLElement, reading: Reading, place: number): void {
  view.scrollTop = place;
  reading.at = view.scrollTop;
}
