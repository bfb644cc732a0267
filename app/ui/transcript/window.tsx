/**
 * The list of pairs: a window of the conversation that follows its end until the person scrolls away from it.
 *
 * Python draws the rows, one for each pair. This module decides which of them are in the document (at most `MAX_ROWS`;
 * the browser skips drawing those out of sight) and the place of the view. Nothing moves under the reader's eyes: the view
 * scrolls as far as rows above the first visible pair are high.
 */
import { Component, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "react-router";
import { offer } from "../kit/places.ts";
import { sentHere } from "../kit/sent.ts";
import { hold, pairsNow, showNewest } from "./held.ts";
import { noteSent, stopsAtOverflow, watchCursor } from "./overflow.ts";
import type { TranscriptWindowProps } from "./views.ts";
import { followFocus, markCurrent, steer, WALKS } from "./walk.ts";

const MAX_ROWS = 120;
const FIRST_ROWS = 2; // drawn at first: about a screen; the rest follows when there is nothing better to do
const STEP = 20;
const NEAR_PX = 1500;
const BOTTOM_PX = 48;
const IDLE_MS = 300;
const ASK_AGAIN_MS = 1000;
const FIRST_FRAMES = 12; // in which a smooth scroll has moved: its first may move by less than a pixel

/** The first and the last pair in the document; no last one: up to the newest, whatever comes. */
interface Range {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

const UPWARD = new Set(["ArrowUp", "PageUp", "Home"]);

export function TranscriptWindow(props: TranscriptWindowProps): ReactNode {
  const here = useLocation().pathname.replace(/\/$/, "") === props.path;
  useEffect(() => offer(WALKS), []);
  useEffect(followFocus, []);
  return <div className="history">{here ? <Rows key={props.path} {...props} /> : null}</div>;
}

function Rows(props: TranscriptWindowProps): ReactNode {
  const { pairs, earlier, later, label, above, waiting, jump, jumpLabel, jumpTitle, notes, rows } = props;
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const selects = useRef(false); // words here are selected: the view stays until a click, a jump or a send
  const held = useRef(-1); // the place the person went to on purpose: being near the end there does not mean to follow
  const anchor = useRef<{ id: string; top: number } | null>(null);
  const asked = useRef<ReturnType<typeof setTimeout>>(undefined); // other pairs are on their way
  const [away, setAway] = useState(false);
  const [range, setRange] = useState<Range>(() => newestOf(pairs));

  const place = (id: string | undefined) => pairs.findIndex((pair) => pair.id === id);
  const end = range.last !== undefined && place(range.last) >= 0 ? place(range.last) + 1 : pairs.length;
  const sinks = range.last === undefined && (follows.current || later); // rows leave at the top as others come below
  const start = Math.max(0, place(range.first), sinks ? end - MAX_ROWS : 0);
  const now = useRef({ ...props, range, start, end });
  now.current = { ...props, range, start, end };
  useLayoutEffect(() => hold(props));

  const isAtEnd = useCallback((): boolean => {
    const view = box.current;
    return !!view && !now.current.later && distanceToEnd(view) < BOTTOM_PX;
  }, []);

  /** The first visible pair stays where it is when the document changes next. */
  const keepPlace = useCallback(() => {
    const top = box.current?.getBoundingClientRect().top ?? 0;
    const drawn = [...(content.current?.querySelectorAll<HTMLElement>(":scope > [data-pair]") ?? [])];
    const row = drawn.find((each) => each.getBoundingClientRect().bottom > top);
    anchor.current = row ? { id: row.dataset.pair ?? "", top: row.getBoundingClientRect().top } : null;
  }, []);

  useLayoutEffect(() => {
    const view = box.current;
    if (!view || !anchor.current) return;
    const { id, top } = anchor.current;
    anchor.current = null;
    if (follows.current) {
      view.scrollTop = view.scrollHeight; // wherever it was when that was measured
      return;
    }
    const row = rowOf(view, id);
    if (row) view.scrollTop += row.getBoundingClientRect().top - top;
  });

  /** Have more rows in the document, or ask for more pairs, where an end of them is near. */
  const more = useCallback(() => {
    const view = box.current;
    if (!view) return;
    const { pairs, range, start, end, earlier, later, onEarlier, onLater } = now.current;
    const ask = (send: (() => void) | undefined) => {
      if (asked.current !== undefined) return;
      asked.current = setTimeout(() => {
        asked.current = undefined;
        more(); // it was lost, or the server did not know yet what is in view
      }, ASK_AGAIN_MS);
      keepPlace();
      send?.(); // changes `pairs`, and so `more` is called again
    };
    const turn = (first: number, last: number) => {
      keepPlace();
      setRange({ first: pairs[first]?.id, last: last < pairs.length ? pairs[last - 1]?.id : undefined });
    };
    if (view.scrollTop < NEAR_PX && start > 0) {
      const first = Math.max(0, start - STEP);
      const isOpen = range.last === undefined && end - first <= MAX_ROWS;
      turn(first, isOpen ? pairs.length : Math.min(end, first + MAX_ROWS));
    } else if (view.scrollTop < NEAR_PX && earlier) {
      ask(onEarlier);
    } else if (later && end === pairs.length && distanceToEnd(view) < NEAR_PX) {
      ask(onLater);
    } else if (range.last !== undefined && distanceToEnd(view) < NEAR_PX) {
      const last = Math.min(pairs.length, end + STEP);
      turn(Math.max(start, last - MAX_ROWS), last);
    }
  }, [keepPlace]);

  const toEnd = useCallback(async () => {
    await showNewest();
    follows.current = true;
    selects.current = false;
    held.current = -1;
    setAway(false);
    flushSync(() => setRange(newestOf(pairsNow())));
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);

  useLayoutEffect(
    () =>
      steer({
        toEnd,
        leaveEnd(holds) {
          follows.current = isAtEnd() && !holds;
          held.current = holds ? (box.current?.scrollTop ?? -1) : -1;
          setAway(!isAtEnd() || (holds && now.current.running !== ""));
        },
        // A pair that is not in the document comes with some of its neighbours.
        reveal(id) {
          if (box.current && rowOf(box.current, id)) return;
          const all = pairsNow();
          const at = all.findIndex((pair) => pair.id === id);
          const first = Math.max(0, at - STEP);
          follows.current = false;
          flushSync(() => setRange({ first: all[first]?.id, last: all[first + MAX_ROWS - 1]?.id }));
        },
      }),
    [toEnd, isAtEnd],
  );

  useLayoutEffect(() => {
    const view = box.current;
    const words = content.current;
    if (!view || !words) return undefined;
    view.scrollTop = view.scrollHeight;
    let last = view.scrollTop;
    let height = view.scrollHeight;
    let folds = false; // a click may have made something shorter since the last frame
    const clicked = () => {
      folds = true;
      requestAnimationFrame(() => {
        folds = false;
      });
    };
    const scrolled = () => {
      const { scrollTop, scrollHeight } = view;
      if (scrollTop !== held.current) held.current = -1;
      // Upwards, however little, and not because the content became shorter or the view higher: a person reads there.
      // What was folded and what came after it in the same frame may have the height of before.
      const isUp = scrollTop < last && scrollHeight >= height && distanceToEnd(view) > 1;
      if (isUp && !folds) follows.current = false;
      else if (isAtEnd()) follows.current = held.current < 0 && !selects.current;
      last = scrollTop;
      height = scrollHeight;
      setAway(!follows.current);
      // Following the end is no reading: what is above it can wait, and must not come before the first frame.
      if (now.current.range.last !== undefined || now.current.later || !follows.current) more();
    };
    // Runs between layout and paint: what has grown is never seen before the view has followed it.
    // A selection would run away from the pointer.
    const selected = () => {
      const selection = document.getSelection();
      selects.current = !!selection && !selection.isCollapsed && view.contains(selection.anchorNode);
      if (!selects.current || !follows.current) return;
      follows.current = false;
      setAway(!isAtEnd() || now.current.running !== "");
    };
    let starts = 0; // frames in which a key or a wheel may start to move the view up: following would undo it
    let pressed = false; // the pointer is down on words
    const follow = () => {
      height = view.scrollHeight; // else the first scroll after the content became shorter would pass for no scroll
      if (starts > 0 || pressed || !follows.current || stopsAtOverflow(view)) return;
      view.scrollTop = view.scrollHeight;
      last = view.scrollTop;
      follows.current = !now.current.later; // who opened the page at a pair stays with it when later ones come
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
    view.addEventListener("scroll", scrolled, { passive: true });
    words.addEventListener("pointerdown", press);
    window.addEventListener("pointerup", release);
    window.addEventListener("pointercancel", release);
    view.addEventListener("keydown", pushed);
    view.addEventListener("wheel", pushed, { passive: true });
    view.addEventListener("click", clicked, { capture: true });
    document.addEventListener("selectionchange", selected);
    return () => {
      grown.disconnect();
      view.removeEventListener("scroll", scrolled);
      words.removeEventListener("pointerdown", press);
      window.removeEventListener("pointerup", release);
      window.removeEventListener("pointercancel", release);
      view.removeEventListener("keydown", pushed);
      view.removeEventListener("wheel", pushed);
      view.removeEventListener("click", clicked, { capture: true });
      document.removeEventListener("selectionchange", selected);
    };
  }, [isAtEnd, more]);

  const known = pairs.length ? `${pairs[0]?.id} ${pairs.at(-1)?.id}` : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for has come, or the person is elsewhere
  useEffect(
    () => () => {
      clearTimeout(asked.current);
      asked.current = undefined;
    },
    [known],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever other rows are here, or others than these there
  useEffect(() => whenIdle(more), [more, known, start, end, earlier, later]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its row may have come into the document just now
  useLayoutEffect(markCurrent, [known, start, end]);
  useEffect(watchCursor, []);

  const latest = pairs.at(-1);
  const seen = useRef<string>(undefined); // the first pair of a conversation may be there at once
  useLayoutEffect(() => {
    if (latest?.id === seen.current) return;
    seen.current = latest?.id;
    if (!latest || !sentHere.delete(latest.user_text)) return;
    noteSent(latest.id);
    if (now.current.range.last !== undefined) {
      queueMicrotask(toEnd); // React cannot flush while it commits
      return;
    }
    // The end is in the document already: the view goes there as its content grows, and nothing else is drawn again.
    follows.current = true;
    selects.current = false;
    held.current = -1;
    setAway(false);
  }, [latest, toEnd]);

  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it with the arrow keys */}
      <section className="scroll" ref={box} tabIndex={0} aria-label={label}>
        <div className="pairs" ref={content}>
          {earlier || start > 0 ? waiting : above}
          {rows.slice(start, end)}
        </div>
        <BeforeChange look={() => anchor.current && !follows.current && keepPlace()} />
      </section>
      {notes}
      {away || range.last !== undefined ? (
        <button type="button" className="to-end" onClick={toEnd} aria-label={jumpLabel} title={jumpTitle}>
          {jump}
        </button>
      ) : null}
    </>
  );
}

/** Calls `look` before the document changes: a reader may have moved on since other pairs were asked for. */
class BeforeChange extends Component<{ look(): unknown }> {
  override getSnapshotBeforeUpdate(): null {
    this.props.look();
    return null;
  }
  override componentDidUpdate(): void {} // React warns about a snapshot without it
  override render(): ReactNode {
    return null;
  }
}

/** Only those at the end, which is followed. */
function newestOf(pairs: TranscriptWindowProps["pairs"]): Range {
  return { first: (pairs.at(-FIRST_ROWS) ?? pairs[0])?.id, last: undefined };
}

const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: Element): number =>
  scrollHeight - scrollTop - clientHeight;

/** Whether a browser moves the view up for this. */
const movesUp = (event: KeyboardEvent | WheelEvent): boolean =>
  event instanceof WheelEvent ? event.deltaY < 0 : UPWARD.has(event.key) || (event.key === " " && event.shiftKey);

const rowOf = (view: Element, id: string): Element | null => view.querySelector(`[data-pair="${CSS.escape(id)}"]`);

/** Safari has no idle callbacks. */
function whenIdle(task: () => void): () => void {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(task, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(task, { timeout: IDLE_MS });
  return () => cancelIdleCallback(handle);
}
