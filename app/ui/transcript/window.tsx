/**
 * The list of pairs: a window of the conversation that follows its end until the person scrolls away from it.
 *
 * Python draws the rows, one for each pair. This module decides which of them are in the document (at most `MAX_ROWS`;
 * the browser skips drawing those out of sight) and the scroll position. Visible pairs do not move: when rows above the
 * first visible pair change, the view scrolls by the difference of their height.
 */
import { Component, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useParams } from "react-router";
import { dropSent, dropWhere, resentHere, sentHere } from "../kit/connection/sent.ts";
import { offer } from "../kit/keys/places.ts";
import { FoldedText } from "../kit/texts/folded_text.tsx";
import type { FoldedTextProps } from "../kit/views.ts";
import { positionIn, showStart, showWord } from "./address_pair.ts";
import { watchReading } from "./following.ts";
import { markFound } from "./found.ts";
import { hold, pairsNow, showNewest } from "./held.ts";
import { noteOwn, watchCursor } from "./overflow.ts";
import { goToEnd, isInSight, isNearEnd, keepAtTop, type Reading, rowOf, SENDING, topOf } from "./reading.ts";
import type { TranscriptWindowProps } from "./views.ts";
import { followFocus, markCurrent, steer, WALKS } from "./walk.ts";

const MAX_ROWS = 120;
const FIRST_ROWS = 2; // drawn at first: about a screen; the others are drawn when the browser is idle
const STEP = 20;
const NEAR_PX = 1500;
const IDLE_MS = 300;
const ASK_AGAIN_MS = 1000;

/** The first and the last pair in the document. Without a last pair it extends to the newest, also to later ones. */
interface Range {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

export function TranscriptWindow(props: TranscriptWindowProps): ReactNode {
  const here = useLocation().pathname.replace(/\/$/, "") === props.path;
  useEffect(() => offer(WALKS), []);
  useEffect(followFocus, []);
  return (
    <div className="history">
      {here ? <Rows key={props.path} {...props} /> : <Arriving {...props} />}
      {props.children}
    </div>
  );
}

/** The first message, while its conversation is loading. */
function Arriving({ label, sending, more, less }: TranscriptWindowProps): ReactNode {
  const { conversation = "" } = useParams();
  const text = useSending(["", conversation], "");
  return text ? (
    <section className="scroll" aria-label={label}>
      <div className="pairs">
        <Sending text={text} more={more} less={less}>
          {sending}
        </Sending>
      </div>
    </section>
  ) : null;
}

/** A request that has no pair yet, and a note below it. */
function Sending({ children, ...request }: FoldedTextProps): ReactNode {
  return (
    <div className="pair-box" data-sending={SENDING}>
      <div className="pair">
        <div className="request">
          <FoldedText {...request} className="request-text" />
        </div>
        {children}
      </div>
    </div>
  );
}

/**
 * Return the text of a request that was sent in one of the conversations `from` and has no pair yet, "" for none.
 * `pairs` is a text that changes whenever the pairs on the page change.
 */
function useSending(from: readonly string[], pairs: string): string {
  const sent = sentHere.use().find(({ conversation, isPair }) => isPair && from.includes(conversation));
  const text = sent?.text ?? "";
  const [before, setBefore] = useState({ text, pairs });
  if (before.text !== text) setBefore({ text, pairs });
  // If the pairs changed after it was accepted, and its own pair is not among them, a filter excludes it.
  return sent?.isAccepted && before.text === text && before.pairs !== pairs ? "" : text;
}

function Rows(props: TranscriptWindowProps): ReactNode {
  const { pairs, earlier, later, label, above, waiting, notes, rows } = props;
  const { conversation = "" } = useParams();
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const reading = useRef<Reading>({ follows: true, selects: false, held: -1, top: "", at: 0 });
  const anchor = useRef<{ id: string; top: number } | null>(null);
  const asked = useRef<ReturnType<typeof setTimeout>>(undefined); // set while other pairs are requested
  const [away, setAway] = useState<string | null>(null); // the last pair seen, if the view is away from the end
  const [range, setRange] = useState<Range>(() => newestOf(pairs));

  const place = (id: string | undefined) => pairs.findIndex((pair) => pair.id === id);
  const end = range.last !== undefined && place(range.last) >= 0 ? place(range.last) + 1 : pairs.length;
  const sinks = range.last === undefined && (reading.current.follows || later); // new rows replace rows at the top
  const start = Math.max(0, place(range.first), sinks ? end - MAX_ROWS : 0);
  const now = useRef({ ...props, range, start, end, away });
  now.current = { ...props, range, start, end, away };
  useLayoutEffect(() => hold(props));

  const isAtEnd = useCallback(
    (): boolean => !!box.current && !now.current.later && isNearEnd(box.current, reading.current),
    [],
  );
  /** Note that the view is away from the end, or not. A pair is new until its reply is in sight. */
  const turnAway = useCallback((is: boolean): void => {
    const view = box.current;
    const { pairs, running, away } = now.current;
    const last = away ?? pairs.at(pairs.at(-1)?.id === running ? -2 : -1)?.id ?? "";
    const after = pairs.slice(pairs.findIndex((pair) => pair.id === last) + 1);
    const seen = view && is ? after.findLast((pair) => isInSight(view, pair.id)) : undefined;
    setAway(is ? (seen?.id ?? last) : null);
  }, []);
  /** Follow the end, with the request of this pair at the top of the window; "": no change. */
  const followFrom = useCallback((id = ""): void => {
    Object.assign(reading.current, { follows: true, selects: false, held: -1 });
    if (id && box.current) keepAtTop(box.current, reading.current, id);
    setAway(null);
  }, []);

  /** Keep the position of the first visible pair during the next change of the document. */
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
    if (reading.current.follows) {
      goToEnd(view, reading.current); // even if it was elsewhere when the position was measured
      return;
    }
    const row = rowOf(view, id);
    if (row) view.scrollTop += row.getBoundingClientRect().top - top;
  });

  /** Add rows to the document, or request more pairs, if an end of the rows is near. */
  const more = useCallback(() => {
    const view = box.current;
    if (!view) return;
    const { pairs, range, start, end, earlier, later, onEarlier, onLater } = now.current;
    const ask = (send: (() => void) | undefined) => {
      if (asked.current !== undefined) return;
      asked.current = setTimeout(() => {
        asked.current = undefined;
        more(); // the request was lost, or the server did not have the view options yet
      }, ASK_AGAIN_MS);
      keepPlace();
      send?.(); // changes `pairs`, so `more` is called again
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
    followFrom();
    flushSync(() => setRange(newestOf(pairsNow())));
    if (box.current) goToEnd(box.current, reading.current);
  }, [followFrom]);

  useLayoutEffect(
    () =>
      steer({
        toEnd,
        leaveEnd(holds) {
          reading.current.follows = isAtEnd() && !holds;
          reading.current.held = holds ? (box.current?.scrollTop ?? -1) : -1;
          turnAway(!isAtEnd() || (holds && now.current.running !== ""));
        },
        // If the pair is not in the document, add it with some of its neighbours.
        reveal(id) {
          if (box.current && rowOf(box.current, id)) return;
          const all = pairsNow();
          const at = all.findIndex((pair) => pair.id === id);
          const first = Math.max(0, at - STEP);
          reading.current.follows = false;
          flushSync(() => setRange({ first: all[first]?.id, last: all[first + MAX_ROWS - 1]?.id }));
        },
      }),
    [toEnd, isAtEnd, turnAway],
  );

  useLayoutEffect(() => {
    const view = box.current;
    const words = content.current;
    if (!view || !words) return undefined;
    return watchReading(view, words, reading.current, {
      hasLater: () => now.current.later,
      isRunning: () => now.current.running !== "",
      onScroll() {
        // While the view follows the end, rows above can wait, and must not be added before the first frame.
        if (now.current.range.last !== undefined || now.current.later || !reading.current.follows) more();
      },
      onAway: turnAway,
    });
  }, [more, turnAway]);

  const known = pairs.length ? `${pairs[0]?.id} ${pairs.at(-1)?.id}` : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked for has come, or the person is elsewhere
  useEffect(
    () => () => {
      clearTimeout(asked.current);
      asked.current = undefined;
    },
    [known],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the rows or their range have changed
  useEffect(() => whenIdle(more), [more, known, start, end, earlier, later]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its row may be in the document only now
  useLayoutEffect(markCurrent, [known, start, end]);
  useEffect(watchCursor, []);

  // The pair that the address names: each address is followed once.
  const at = positionIn(useLocation().search);
  const named = pairs.find(({ position }) => position === at)?.id ?? "";
  const isShown = useRef({ at: 0, word: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: its row may be in the document only now
  useLayoutEffect(() => {
    const view = box.current;
    if (!view || !named || isShown.current.at === at) return;
    if (showStart(view, reading.current, named)) {
      isShown.current.at = at;
      turnAway(!isAtEnd());
    } else {
      const first = Math.max(0, place(named) - STEP);
      setRange({ first: pairs[first]?.id, last: pairs[first + MAX_ROWS - 1]?.id });
    }
  }, [at, named, start, end]);

  const found = (props.found.find((one) => one.conversation === conversation)?.words ?? []).join("\n");
  useEffect(() => {
    const view = box.current;
    if (!view || !found) return undefined;
    return markFound(view, found.split("\n"), (places) => {
      const shown = isShown.current;
      if (!named || shown.word === at || reading.current.follows) return;
      if (showWord(view, reading.current, named, places)) shown.word = at;
    });
  }, [found, at, named]);

  const latest = pairs.at(-1);
  const hadLater = useRef(later);
  const seen = useRef<string>(undefined); // undefined at first: the first pair may be loaded immediately
  useLayoutEffect(() => {
    const { running } = now.current;
    const isOlder = hadLater.current; // the pairs at the end were there before, and only loaded now
    hadLater.current = later;
    if (latest?.id === seen.current) return;
    if (isOlder) setAway((last) => (last === null ? null : (latest?.id ?? "")));
    else if (now.current.away !== null) turnAway(true); // the new pair may be in sight
    const isFirst = seen.current === undefined;
    seen.current = latest?.id;
    if (!latest) return;
    if (!dropSent(latest.user_text)) {
      // The pair comes from the queue or another tab: the view does not move if a person reads elsewhere.
      if (!isFirst && reading.current.follows && latest.id === running) followFrom(latest.id);
      return;
    }
    noteOwn(latest.id);
    // The view does not move if the person has scrolled elsewhere since the request was shown.
    if (reading.current.top === SENDING && !reading.current.follows) return;
    followFrom(latest.id);
    if (now.current.range.last !== undefined) queueMicrotask(toEnd); // React cannot flush while it commits
  }, [latest, later, toEnd, followFrom, turnAway]);

  // An edited pair that is sent goes to the top of the window, as a new one does.
  const before = useRef(pairs);
  useLayoutEffect(() => {
    const id = resentHere.get();
    const [was, is] = [before.current, pairs].map((all) => all.find((pair) => pair.id === id));
    before.current = pairs;
    if (!was || !is || was.version === is.version) return;
    resentHere.set("");
    const view = box.current;
    if (id === pairs.at(-1)?.id) {
      noteOwn(id);
      followFrom(id);
    } else if (view) {
      const first = topOf(view, id) ?? rowOf(view, id);
      reading.current.follows = false;
      view.scrollTop += first ? first.getBoundingClientRect().top - view.getBoundingClientRect().top : 0;
      turnAway(true);
    }
  }, [pairs, followFrom, turnAway]);

  const from = pairs.length ? [conversation] : ["", conversation];
  const sending = useSending(from, `${props.running} ${props.ended} ${known}`);
  const { compared } = props;
  const waits = compared || sending; // the request that has no pair yet
  const isSeen = waits !== "" && !later && range.last === undefined;
  const isOwn = sending !== "" || sentHere.get().some((sent) => sent.text === compared);
  useLayoutEffect(() => {
    if (isSeen && (isOwn || reading.current.follows)) followFrom(SENDING);
  }, [isSeen, isOwn, followFrom]);
  useEffect(
    () => () => {
      if (compared) dropSent(compared); // no pair follows if the comparison was discarded
    },
    [compared],
  );
  const left = away === null ? -1 : place(away);
  const news = left < 0 ? 0 : pairs.length - 1 - left;
  const isThere = pairs.length > 0;
  useEffect(() => {
    if (isThere) dropWhere((sent) => !sent.conversation);
  }, [isThere]);
  useEffect(() => () => dropWhere((sent) => [conversation, ""].includes(sent.conversation)), [conversation]);

  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people without a pointer scroll it with the arrow keys */}
      <section className="scroll" ref={box} tabIndex={0} aria-label={label}>
        <div className="pairs" ref={content}>
          {earlier || start > 0 ? waiting : above}
          {rows.slice(start, end)}
          {isSeen ? (
            <Sending text={waits} more={props.more} less={props.less}>
              {props.sending}
            </Sending>
          ) : null}
        </div>
        <BeforeChange look={() => anchor.current && !reading.current.follows && keepPlace()} />
      </section>
      {notes}
      {away !== null || range.last !== undefined ? (
        <button type="button" className="to-end" onClick={toEnd} title={props.jumpTitle}>
          {props.jump}
          {news ? <span>{props.newLabel.replace("{count}", String(news))}</span> : null}
          <span className="unseen">{props.jumpLabel}</span>
        </button>
      ) : null}
    </>
  );
}

/** Calls `look` before the document changes: the reader may have scrolled since other pairs were requested. */
class BeforeChange extends Component<{ look(): unknown }> {
  override getSnapshotBeforeUpdate(): null {
    this.props.look();
    return null;
  }
  override componentDidUpdate(): void {} // without this, React warns about the snapshot
  override render(): ReactNode {
    return null;
  }
}

/** The range of the newest rows, for a view that follows the end. */
function newestOf(pairs: TranscriptWindowProps["pairs"]): Range {
  return { first: (pairs.at(-FIRST_ROWS) ?? pairs[0])?.id, last: undefined };
}

const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: Element): number =>
  scrollHeight - scrollTop - clientHeight;

/** Safari has no idle callbacks. */
function whenIdle(task: () => void): () => void {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(task, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(task, { timeout: IDLE_MS });
  return () => cancelIdleCallback(handle);
}
