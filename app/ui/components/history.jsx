/**
 * The list of pairs: a window of the conversation that follows its end while nobody scrolls away from it.
 *
 * Not the look of a pair, which Python writes and hands over as `draw`. At most `MOST` pairs are in the document,
 * the browser skips drawing those out of sight (content-visibility). Nothing moves under the reader's eyes: what is
 * put above the first visible pair is made up for by scrolling as far.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "react-router";
import { conversationIn, loadOlder, open, serverSnapshot, snapshot, subscribe } from "./live.js";

const MOST = 120;
const FIRST = 3; // drawn at first: about a screen; the rest follows when there is nothing better to do
const STEP = 20;
const NEAR_PX = 1500;
const BOTTOM_PX = 48;

export const useLive = () => useSyncExternalStore(subscribe, snapshot, serverSnapshot);

/** The conversation that the page's address names, "" if none. */
export const useConversation = () => conversationIn(useLocation().pathname);

export function History({ draw, empty, head }) {
  const conversation = useConversation();
  useEffect(() => {
    open(conversation);
  }, [conversation]);
  const { id, link, pairs, older } = useLive();
  const shown = id === conversation;
  return (
    <div className="history">
      {shown && link !== "gone" && (pairs.length > 0 || link === "open") ? (
        <Window key={id} pairs={pairs} older={older} draw={draw} empty={empty} head={head} />
      ) : null}
    </div>
  );
}

function Window({ pairs, older, draw, empty, head }) {
  const box = useRef(null);
  const content = useRef(null);
  const follows = useRef(true);
  const anchor = useRef(null);
  const [away, setAway] = useState(false);
  // The first and the last pair in the document; no last one: up to the newest, whatever comes.
  const [range, setRange] = useState({ first: pairs.at(-FIRST)?.id ?? pairs[0]?.id, last: null });
  const place = (id) => pairs.findIndex((pair) => pair.id === id);
  const end = range.last && place(range.last) >= 0 ? place(range.last) + 1 : pairs.length;
  const start = Math.max(0, range.first ? place(range.first) : 0, !range.last && follows.current ? end - MOST : 0);

  /** Change what is in the document while the first visible pair stays where it is. */
  const shift = useCallback((first, last) => {
    const top = box.current.getBoundingClientRect().top;
    const element = [...content.current.children].find((child) => child.dataset.pair && child.getBoundingClientRect().bottom > top);
    anchor.current = element && { id: element.dataset.pair, top: element.getBoundingClientRect().top };
    setRange({ first: first.id, last: last?.id ?? null });
  }, []);

  useLayoutEffect(() => {
    if (!anchor.current) return;
    const { id, top } = anchor.current;
    anchor.current = null;
    const element = content.current.querySelector(`[data-pair="${id}"]`);
    if (element) box.current.scrollTop += element.getBoundingClientRect().top - top;
  });

  const more = useCallback(() => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    if (scrollTop < NEAR_PX && start > 0) {
      const first = Math.max(0, start - STEP);
      shift(pairs[first], end - first > MOST ? pairs[first + MOST - 1] : range.last && pairs[end - 1]);
    } else if (scrollTop < NEAR_PX && older) {
      loadOlder(); // changes `pairs`, and so this is asked again
    } else if (range.last && scrollHeight - scrollTop - clientHeight < NEAR_PX) {
      const last = Math.min(pairs.length, end + STEP);
      shift(pairs[Math.max(start, last - MOST)], last < pairs.length ? pairs[last - 1] : null);
    }
  }, [pairs, start, end, older, range, shift]);

  const toEnd = useCallback(() => {
    follows.current = true;
    setAway(false);
    flushSync(() => setRange({ first: snapshot().pairs.at(-FIRST)?.id ?? snapshot().pairs[0]?.id, last: null }));
    box.current.scrollTop = box.current.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    const view = box.current;
    view.scrollTop = view.scrollHeight;
    let last = view.scrollTop;
    let height = view.scrollHeight;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = view;
      const atEnd = scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
      if (atEnd) follows.current = true;
      // Upwards, and not because the content became shorter: somebody wants to read there.
      else if (scrollTop < last && scrollHeight >= height) follows.current = false;
      last = scrollTop;
      height = scrollHeight;
      setAway(!follows.current);
    };
    // Runs between layout and paint: what has grown is never seen before the view has followed it.
    const grown = new ResizeObserver(() => {
      if (!follows.current) return;
      view.scrollTop = view.scrollHeight;
      last = view.scrollTop;
    });
    grown.observe(content.current);
    grown.observe(view);
    view.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      view.removeEventListener("scroll", scrolled);
    };
  }, []);

  useEffect(() => {
    const cancel = whenIdle(more);
    const view = box.current;
    view.addEventListener("scroll", more, { passive: true });
    return () => {
      cancel();
      view.removeEventListener("scroll", more);
    };
  }, [more]);

  const newest = pairs.at(-1);
  const known = useRef(newest?.id);
  useLayoutEffect(() => {
    if (newest?.id === known.current) return;
    known.current = newest?.id;
    if (sentHere.delete(newest?.user_text)) queueMicrotask(toEnd); // React cannot flush while it commits
  }, [newest?.id, toEnd]);

  return (
    <>
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Conversation">
        <div className="pairs" ref={content}>
          {older || start > 0 ? <p className="older">Loading earlier messages…</p> : head}
          {pairs.length ? null : empty}
          {pairs.slice(start, end).map((pair) => (
            <div key={pair.id} data-pair={pair.id} className="pair-box">{draw(pair)}</div>
          ))}
        </div>
      </div>
      {away || range.last ? (
        <button type="button" className="to-end" onClick={toEnd} aria-label="Jump to the newest message" title="Newest message">
          ↓
        </button>
      ) : null}
    </>
  );
}

/** Safari has no idle callbacks. */
function whenIdle(task) {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(task, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(task, { timeout: 300 });
  return () => cancelIdleCallback(handle);
}

const sentHere = new Set();
/** A text was sent from this tab: when its pair appears the view goes there, wherever it stood. */
export const expectSent = (text) => sentHere.add(text);
