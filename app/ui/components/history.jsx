/**
 * The list of pairs: a window of the conversation that follows its end while nobody scrolls away from it.
 *
 * Not the look of a pair, which Python writes and hands over as `draw`. At most `MOST` pairs are in the document,
 * the browser skips drawing those out of sight (content-visibility). Nothing moves under the reader's eyes: what is
 * put above the first visible pair is made up for by scrolling as far.
 */
import { Fragment, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "react-router";
import { lazy } from "./lazy.js";
import { conversationIn, loadOlder, open, outOf, serverSnapshot, snapshot, subscribe } from "./live.js";
import { placeNodes, useNodes } from "./nodes.js";
import { NodesSlot } from "./nodes_slot.jsx";
import { stopsAtOverflow } from "./overflow.js";
import { beginsAt, PairBox } from "./pair_box.jsx";
import { steerHistory } from "./walk.js";

const CacheNotes = lazy(() => import("./cache.jsx"));
const MOST = 120;
const FIRST = 2; // drawn at first: about a screen; the rest follows when there is nothing better to do
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
  const { id, link, pairs, older, view } = useLive();
  const shown = id === conversation;
  return (
    <div className="history">
      {shown && link !== "gone" && (pairs.length > 0 || link === "open") ? (
        <Window key={id} pairs={pairs} older={older} view={view} draw={draw} empty={empty} head={head} />
      ) : null}
    </div>
  );
}

function Window({ pairs, older, view, draw, empty, head }) {
  const box = useRef(null);
  const content = useRef(null);
  const follows = useRef(true);
  const held = useRef(-1); // the place somebody went to on purpose: being near the end there does not mean to follow
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
    if (follows.current) {
      box.current.scrollTop = box.current.scrollHeight; // wherever it was when that was measured
      return;
    }
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
    held.current = -1;
    setAway(false);
    flushSync(() => setRange({ first: snapshot().pairs.at(-FIRST)?.id ?? snapshot().pairs[0]?.id, last: null }));
    box.current.scrollTop = box.current.scrollHeight;
  }, []);

  // For keys: a pair that is not in the document comes with some of its neighbours.
  useLayoutEffect(() =>
    steerHistory({
      toEnd,
      leaveEnd(holds) {
        if (!box.current) return; // another conversation is on its way
        const { scrollTop, scrollHeight, clientHeight } = box.current;
        const atEnd = scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
        follows.current = atEnd && !holds;
        held.current = holds ? scrollTop : -1;
        setAway(!atEnd || (holds && Boolean(snapshot().running)));
      },
      reveal: (id) => {
        if (content.current.querySelector(`[data-pair="${CSS.escape(id)}"]`)) return;
        const all = snapshot().pairs;
        const at = all.findIndex((pair) => pair.id === id);
        const last = Math.max(0, at - STEP) + MOST - 1;
        follows.current = false;
        flushSync(() => setRange({ first: all[Math.max(0, at - STEP)].id, last: all[last]?.id ?? null }));
      },
    }),
  );

  useLayoutEffect(() => {
    const view = box.current;
    view.scrollTop = view.scrollHeight;
    let last = view.scrollTop;
    let height = view.scrollHeight;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = view;
      const atEnd = scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
      if (scrollTop !== held.current) held.current = -1;
      if (atEnd) follows.current = held.current < 0;
      // Upwards, and not because the content became shorter: somebody wants to read there.
      else if (scrollTop < last && scrollHeight >= height) follows.current = false;
      last = scrollTop;
      height = scrollHeight;
      setAway(!follows.current);
    };
    // Runs between layout and paint: what has grown is never seen before the view has followed it.
    const grown = new ResizeObserver(() => {
      if (!follows.current) return;
      if (stopsAtOverflow(view)) return;
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
    // Following the end is no reading: what is above it can wait, and must not come before the first frame.
    const scrolled = () => (range.last || !follows.current) && more();
    view.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      cancel();
      view.removeEventListener("scroll", scrolled);
    };
  }, [more]);

  const placed = placeNodes(useNodes(snapshot().id), pairs);
  const newest = pairs.at(-1);
  const known = useRef(newest?.id);
  useLayoutEffect(() => {
    if (newest?.id === known.current) return;
    known.current = newest?.id;
    if (!sentHere.delete(newest?.user_text)) return;
    if (range.last) return queueMicrotask(toEnd); // React cannot flush while it commits
    // The end is in the document already: the view goes there as its content grows, and nothing else is drawn again.
    follows.current = true;
    held.current = -1;
    setAway(false);
  }, [newest?.id, range.last, toEnd]);

  return (
    <>
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Conversation">
        <div className="pairs" ref={content}>
          {older || start > 0 ? <p className="older">Loading earlier messages…</p> : head}
          {pairs.length ? null : empty}
          {older || start > 0 ? null : <NodesSlot nodes={placed.get("")} />}
          {pairs.slice(start, end).map((pair, at) => (
            <Fragment key={pair.id}>
              {switches(pairs[start + at - 1], pair) ? <p className="agent-rule">{pair.agent ? `${pair.agent} answers from here` : "No agent from here"}</p> : null}
              <PairBox pair={pair} out={outOf(pair)} begins={beginsAt(view, pair, pairs[start + at - 1])} draw={draw} />
              <NodesSlot nodes={placed.get(pair.id)} />
            </Fragment>
          ))}
        </div>
      </div>
      {caches(view) ? <Suspense fallback={null}><CacheNotes box={content} view={view} pairs={pairs} start={start} end={end} /></Suspense> : null}
      {away || range.last ? (
        <button type="button" className="to-end" onClick={toEnd} aria-label="Jump to the newest message" title="Newest message">
          ↓
        </button>
      ) : null}
    </>
  );
}

/** Whether another agent answered a pair than the one before it. */
const switches = (before, pair) => Boolean(before) && (before.agent_id ?? null) !== (pair.agent_id ?? null);

/** Whether the provider may keep what is sent: a server of one's own tells nobody. */
const caches = (view) => /^(anthropic|openai):/.test(view?.model ?? "");

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
