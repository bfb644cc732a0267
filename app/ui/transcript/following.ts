/**
 * The view follows the end of the transcript until a person scrolls away from it, selects words there, or has a reply that
 * is higher than the window.
 */
import { stopsAtOverflow } from "./overflow.ts";
import { endOf, goTo, goToEnd, isNearEnd, leaveTop, NEAR_PX, type Reading, rowOf } from "./reading.ts";

/** What a watcher asks, and says: `onScroll` after each scroll, `onAway` whether newer pairs may be out of sight. */
interface Watcher {
  hasLater(): boolean;
  isRunning(): boolean;
  onScroll(): void;
  onAway(is: boolean): void;
}

const FIRST_FRAMES = 12; // until a smooth scroll has moved: its first frame may move by less than a pixel
const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

/** Follow the end of a view that has these words. Returns how to stop. */
export function watchReading(view: HTMLElement, words: HTMLElement, reading: Reading, watcher: Watcher): () => void {
  goTo(view, reading, view.scrollHeight);
  let height = view.scrollHeight;
  let folds = false; // a click may have made something shorter since the last frame
  const clicked = () => {
    folds = true;
    requestAnimationFrame(() => {
      folds = false;
    });
  };
  const scrolled = () => {
    const { scrollTop, scrollHeight, clientHeight } = view;
    if (scrollTop !== reading.held) reading.held = -1;
    // Upwards, however little, and not because the content became shorter or the view higher: a person reads there.
    // What was folded and what came after it in the same frame may have the height of before.
    const isUp = scrollTop < reading.at && scrollHeight >= height && scrollHeight - scrollTop - clientHeight > 1;
    // A person who went up a little stays there, also when another event comes for the same place.
    const returns = endOf(view, reading) - scrollTop <= (scrollTop > reading.at ? NEAR_PX : 1);
    if (isUp && !folds) reading.follows = false;
    else if (!watcher.hasLater() && returns) reading.follows = reading.held < 0 && !reading.selects;
    reading.at = scrollTop;
    height = scrollHeight;
    watcher.onAway(!reading.follows);
    watcher.onScroll();
  };
  // A selection would run away from the pointer.
  const selected = () => {
    const selection = document.getSelection();
    reading.selects = !!selection && !selection.isCollapsed && view.contains(selection.anchorNode);
    if (!reading.selects || !reading.follows) return;
    reading.follows = false;
    watcher.onAway(watcher.hasLater() || !isNearEnd(view, reading) || watcher.isRunning());
  };
  let starts = 0; // frames for a key or a wheel to move the view up: following would undo it
  let pressed = false; // the pointer is down on words
  // Runs between layout and paint: what has grown is never seen before the view has followed it.
  const follow = () => {
    height = view.scrollHeight; // else the first scroll after the content became shorter would pass for no scroll
    if (reading.top && !rowOf(view, reading.top)) leaveTop(view, reading); // it was deleted, or is out of view
    if (starts > 0 || pressed || !reading.follows || stopsAtOverflow(view, reading)) return;
    goToEnd(view, reading);
    reading.at = view.scrollTop;
    reading.follows = !watcher.hasLater(); // who opened the page at a pair stays with it when later ones come
  };
  // Chromium selects nothing if the words under a pressed pointer move before the pointer does.
  // Not for a menu or a scrollbar, which may keep the release for themselves.
  const press = ({ button }: PointerEvent) => {
    pressed = button === 0;
  };
  const release = () => {
    if (pressed) {
      pressed = false;
      follow();
    }
  };
  const countFrame = () => {
    starts -= 1;
    if (starts > 0) requestAnimationFrame(countFrame);
    else follow();
  };
  const pushed = (event: KeyboardEvent | WheelEvent) => {
    if (event.defaultPrevented || !movesUp(event)) return;
    if (starts === 0) requestAnimationFrame(countFrame);
    starts = FIRST_FRAMES;
  };
  const grown = new ResizeObserver(follow);
  grown.observe(words);
  grown.observe(view);
  const stop = new AbortController();
  const { signal } = stop;
  view.addEventListener("scroll", scrolled, { passive: true, signal });
  words.addEventListener("pointerdown", press, { signal });
  window.addEventListener("pointerup", release, { signal });
  window.addEventListener("pointercancel", release, { signal });
  view.addEventListener("keydown", pushed, { signal });
  view.addEventListener("wheel", pushed, { passive: true, signal });
  view.addEventListener("click", clicked, { capture: true, signal });
  document.addEventListener("selectionchange", selected, { signal });
  return () => {
    grown.disconnect();
    stop.abort();
  };
}

/** Whether a browser moves the view up for this. */
const movesUp = (event: KeyboardEvent | WheelEvent): boolean =>
  event instanceof WheelEvent ? event.deltaY < 0 : UPWARD.has(event.key) || (event.key === " " && event.shiftKey);
