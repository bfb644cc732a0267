/**
 * The end of the transcript that the view follows. After a send it is the place where the new request is at the top of the
 * window: the stylesheet keeps room for the reply below it.
 */

/**
 * `follows`: the view is at the end and stays there. `selects`: words here are selected, so the view stays until a click, a
 * jump or a send. `held` is the place the person went to on purpose, -1 for none: to be near the end there does not mean to
 * follow. `top` is the pair whose request is at the top of the window, "" for none. `at` is the last
 * known place of the view.
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

/** The most that a view is above the end and still at it. */
export const NEAR_PX = 48;
const SHORT = 0.5; // of the window: the most of it that a request takes at its top

export const rowOf = (view: Element, id: string): HTMLElement | null =>
  view.querySelector(`[data-pair="${CSS.escape(id)}"], [data-sending="${CSS.escape(id)}"]`);

/** What is at the top of the window while a reply comes: its request, but of a long one the reply. */
export function topOf(view: HTMLElement, id: string): HTMLElement | null {
  const row = rowOf(view, id);
  const request = row?.querySelector<HTMLElement>(".request");
  if (!row || !request) return null;
  return request.offsetHeight <= view.clientHeight * SHORT ? row : row.querySelector(".reply [data-part]");
}

/** Go to the request of this pair, and keep it at the top of the window from now on. */
export function keepAtTop(view: HTMLElement, reading: Reading, id: string): void {
  reading.top = id;
  view.dataset.room = "";
  goTo(view, reading, endOf(view, reading));
}

/** The end is where the words end, again. */
export function leaveTop(view: HTMLElement, reading: Reading): void {
  reading.top = "";
  delete view.dataset.room;
}

/** How far down the end is, in pixels from the beginning. */
export function endOf(view: HTMLElement, { top }: Reading): number {
  const end = view.scrollHeight - view.clientHeight;
  const first = top && topOf(view, top);
  if (!first) return end;
  const place = first.getBoundingClientRect().top - view.getBoundingClientRect().top + view.scrollTop;
  return Math.min(end, Math.floor(place));
}

/** Whether there are words below the window while it has the request at its top. */
export const hasMoreBelow = (view: HTMLElement, reading: Reading): boolean =>
  view.scrollHeight - view.clientHeight - endOf(view, reading) > 1;

/** Whether the view is near enough at the end to follow it. */
export const isNearEnd = (view: HTMLElement, reading: Reading): boolean =>
  endOf(view, reading) - view.scrollTop < NEAR_PX;

/** Go to the end, but not up from below it: a person may have scrolled on, into the room there. */
export function goToEnd(view: HTMLElement, reading: Reading): void {
  const end = endOf(view, reading);
  if (view.scrollTop < end || !reading.top) goTo(view, reading, end);
}

/** Move the view: that is no scroll of a person. */
export function goTo(view: HTMLElement, reading: Reading, place: number): void {
  view.scrollTop = place;
  reading.at = view.scrollTop;
}
