/**
 * The view follows the end of the transcript until a person scrolls away from it, selects text there, or a reply
 * becomes higher than the window.
 */
import { stopsAtOverflow } from "./overflow.ts";
import { endOf, goTo, goToEnd, isNearEnd, leaveTop, NEAR_PX, type Reading, rowOf } from "./reading.ts";

/**
 * The window of pairs, which this module reads and informs. `hasLater`: there are newer pairs that are not loaded.
 * `onScroll` is called after each scroll, `onAway` with true if newer pairs may be out of sight.
 */
interface Watcher {
  hasLater(): boolean;
  isRunning(): boolean;
  onScroll(): void;
  onAway(is: boolean): void;
}

const FIRST_FRAMES = 12; // frames until a smooth scroll has moved the view: the first frame may move it by no pixel
const UNFOLDS = ".show-more[aria-expanded=false]";
const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

/** Make the view follow the end of its content, the element `words`. Returns a function that stops this. */
export function watchReading(view: HTMLElement, words: HTMLElement, reading: Reading, watcher: Watcher): () => void {
  goTo(view, reading, view.scrollHeight);
  let height = view.scrollHeight;
  let folds = false; // a click may have made something shorter since the last frame
  const clicked = ({ target }: MouseEvent) => {
    // A person who unfolds a text reads it from its start.
    if (target instanceof Element && target.closest(UNFOLDS)) reading.follows = false;
    folds = true;
    requestAnimationFrame(() => {
      folds = false;
    });
  };
  const scrolled = () => {
    const { scrollTop, scrollHeight, clientHeight } = view;
    if (scrollTop !== reading.held) reading.held = -1;
    // Any scroll upwards is by a person who reads there, unless the content became shorter or the view higher.
    // Content that was collapsed in this frame may still have its previous height.
    const isUp = scrollTop < reading.at && scrollHeight >= height && scrollHeight - scrollTop - clientHeight > 1;
    // The view stays where a person has scrolled up a little, also if another event reports the same position.
    const returns = endOf(view, reading) - scrollTop <= (scrollTop > reading.at ? NEAR_PX : 1);
    if (isUp && !folds) reading.follows = false;
    else if (!watcher.hasLater() && returns) reading.follows = reading.held < 0 && !reading.selects;
    reading.at = scrollTop;
    height = scrollHeight;
    watcher.onAway(!reading.follows);
    watcher.onScroll();
  };
  // Following would move selected text away from the pointer.
  const selected = () => {
    const selection = document.getSelection();
    reading.selects = !!selection && !selection.isCollapsed && view.contains(selection.anchorNode);
    if (!reading.selects || !reading.follows) return;
    reading.follows = false;
    watcher.onAway(watcher.hasLater() || !isNearEnd(view, reading) || watcher.isRunning());
  };
  let starts = 0; // frames left for a key or a wheel to move the view up; following would undo this
  let pressed = false; // the pointer is pressed on the content
  // Runs between layout and paint, so that growth is never visible before the view has followed it.
  const follow = () => {
    height = view.scrollHeight; // otherwise the first scroll after the content became shorter would be ignored
    if (reading.top && !rowOf(view, reading.top)) leaveTop(view, reading); // the pair was deleted or is out of view
    if (starts > 0 || pressed || !reading.follows || stopsAtOverflow(view, reading)) return;
    goToEnd(view, reading);
    reading.at = view.scrollTop;
    reading.follows = !watcher.hasLater(); // a page opened at a pair stays there when later pairs are loaded
  };
  // Chromium selects nothing if the text under a pressed pointer moves before the pointer does.
  // Only the main button counts: menus and scrollbars may not report the release.
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
  const stop = new AbortController();
  const { signal } = stop;
  // Following can change the size, if the view leaves the request at its top. The browser would report an error for a
  // size that changes while it reports sizes; so this one is measured in the next frame.
  const grown = new ResizeObserver(() => {
    const before = words.getBoundingClientRect().height;
    follow();
    if (words.getBoundingClientRect().height === before) return;
    grown.unobserve(words);
    requestAnimationFrame(() => signal.aborted || grown.observe(words));
  });
  grown.observe(words);
  grown.observe(view);
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

/** True if the browser scrolls the view up for this event. */
const movesUp = (event: KeyboardEvent | WheelEvent): boolean =>
  event instanceof WheelEvent ? event.deltaY < 0 : UPWARD.has(event.key) || (event.key === " " && event.shiftKey);
