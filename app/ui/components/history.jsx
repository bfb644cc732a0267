/**
 * The list of pairs: a window of the conversation that follows its end while nobody scrolls away from it.
 *
 * Not the look of a pair, which Python writes and hands over as `draw`. At most `MOST` pairs are in the document,
 * the browser skips drawing those out of sight (content-visibility). Nothing moves under the reader's eyes: what is
 * put above the first visible pair is made up for by scrolling as far.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { conversationIn, loadOlder, open, serverSnapshot, snapshot, subscribe } from "./live.js";

const MOST = 120;
const STEP = 30;
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
      {shown && (pairs.length > 0 || link === "open") ? (
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
  // The last pair shown, as an offset from the newest: 0 while at the end. New pairs keep it there.
  const [range, setRange] = useState({ first: pairs[0]?.id, skip: 0 });

  const end = pairs.length - range.skip;
  const start = Math.max(0, end - MOST, range.first ? pairs.findIndex((pair) => pair.id === range.first) : 0);

  /** Change what is in the document while the first visible pair stays where it is. */
  const shift = useCallback((next) => {
    const top = box.current.getBoundingClientRect().top;
    const element = [...content.current.children].find((child) => child.dataset.pair && child.getBoundingClientRect().bottom > top);
    anchor.current = element && { id: element.dataset.pair, top: element.getBoundingClientRect().top };
    setRange(next);
  }, []);

  useLayoutEffect(() => {
    const { id, top } = anchor.current ?? {};
    anchor.current = null;
    const element = id && content.current.querySelector(`[data-pair="${id}"]`);
    if (element) box.current.scrollTop += element.getBoundingClientRect().top - top;
  });

  const more = useCallback(() => {
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    if (scrollTop < NEAR_PX && (start > 0 || older)) {
      const load = start >= STEP || !older ? Promise.resolve() : loadOlder();
      load.then(() => {
        const { pairs: now } = snapshot();
        const at = now.findIndex((pair) => pair.id === pairs[start]?.id);
        const first = Math.max(0, at - STEP);
        if (at > 0) shift({ first: now[first].id, skip: Math.max(0, now.length - first - MOST) });
      });
    } else if (range.skip && scrollHeight - scrollTop - clientHeight < NEAR_PX) {
      const skip = Math.max(0, range.skip - STEP);
      const first = Math.max(start, pairs.length - skip - MOST);
      shift({ first: pairs[first].id, skip });
    }
  }, [pairs, start, older, range, shift]);

  const toEnd = useCallback(() => {
    follows.current = true;
    setAway(false);
    setRange(({ first }) => ({ first: snapshot().pairs.at(-STEP)?.id ?? first, skip: 0 }));
    requestAnimationFrame(() => (box.current.scrollTop = box.current.scrollHeight));
  }, []);

  useLayoutEffect(() => {
    const place = box.current;
    place.scrollTop = place.scrollHeight;
    let last = place.scrollTop;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = place;
      const atEnd = scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
      if (atEnd) follows.current = true;
      else if (scrollTop < last) follows.current = false;
      last = scrollTop;
      setAway(!follows.current);
    };
    // Runs between layout and paint: what has grown is never seen before the view has followed it.
    const grown = new ResizeObserver(() => {
      if (!follows.current) return;
      place.scrollTop = place.scrollHeight;
      last = place.scrollTop;
    });
    grown.observe(content.current);
    grown.observe(place);
    place.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      place.removeEventListener("scroll", scrolled);
    };
  }, []);

  useEffect(() => {
    more();
    const place = box.current;
    place.addEventListener("scroll", more, { passive: true });
    return () => place.removeEventListener("scroll", more);
  }, [more]);

  const newest = pairs.at(-1);
  const known = useRef(newest?.id);
  useLayoutEffect(() => {
    if (newest?.id === known.current) return;
    known.current = newest?.id;
    if (sentHere.delete(newest?.user_text)) toEnd();
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
      {away || range.skip ? (
        <button type="button" className="to-end" onClick={toEnd} aria-label="Jump to the newest message" title="Newest message">
          ↓
        </button>
      ) : null}
    </>
  );
}

const sentHere = new Set();
/** A text was sent from this tab: when its pair appears the view goes there, wherever it stood. */
export const expectSent = (text) => sentHere.add(text);
