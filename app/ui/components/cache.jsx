/**
 * What the provider keeps of the conversation: the line "cached to here" with the time left, and the price of breaking it.
 *
 * Not worked out here: the server is asked, when it has nothing better to do than to answer and only after something
 * changed that matters (a reply is over, another filter, model or boundary). What is typed changes nothing of it.
 */
import { Suspense, useEffect, useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";
import { ask } from "./api.js";
import { money, number } from "./figures.js";
import { whenIdle } from "./idle.js";
import { lazy } from "./lazy.js";
import { looking, snapshot } from "./live.js";

const KeepWarm = lazy(() => import("./keep_warm.jsx"));
const Kept = lazy(() => import("./keep_warm.jsx").then(({ Kept }) => ({ default: Kept })));

const SETTLE_MS = 300;
const LONGEST_QUERY = 4000;

export default function CacheNotes({ box, view, pairs, start, end }) {
  const { id, running, ended } = snapshot();
  const [again, setAgain] = useState(0);
  const [asking, setAsking] = useState(false);
  const state = useCacheState(id, [view.filter, view.model, view.boundary, view.x, view.y, pairs.length, running, ended, snapshot().conversation, again]);
  const next = running ? null : state?.next;
  const left = useSecondsLeft(next?.expires_at, state?.ahead ?? 0);
  const warm = next?.predicted_read_tokens > 0 && left > 0;
  const slot = useSlot(box, warm ? next.cached_to : null, [pairs, start, end]);
  const broken = next?.broken;
  const drawn = warm && slot;
  const change = () => setAgain((count) => count + 1);
  const kept = running ? null : state?.kept;
  const noted = kept ? <Suspense fallback={null}><Kept conversation={id} kept={kept} onChange={change} /></Suspense> : null;
  return (
    <>
      {drawn ? createPortal(<Line next={next} left={left} kept={kept?.on ? noted : null} onKeep={() => setAsking(true)} />, slot) : null}
      {kept && !(kept.on && drawn) ? <p className="cache-kept" role="status">{noted}</p> : null}
      {broken && remaining(broken.expires_at, state.ahead) > 0 ? <Broken broken={broken} /> : null}
      {asking && state?.offer ? <Suspense fallback={null}><KeepWarm conversation={id} offer={state.offer} onClose={() => setAsking(false)} onChange={change} /></Suspense> : null}
    </>
  );
}

function Line({ next, left, kept, onKeep }) {
  const { predicted_read_tokens: tokens, exact, expires_at, cached_to } = next;
  const words = `${exact ? "" : "~"}${number(tokens)} tokens`;
  const until = new Date(expires_at).toTimeString().slice(0, 5);
  return (
    <div className="cached" role="note" aria-label={`Cached to here: ${words}, until ${until}`}>
      <p>
        <span title="What stands before this is kept by the provider: the next send reads it at a fraction of the price.">{cached_to?.kind === "system" ? "Cached: the system text" : "Cached to here"} · {words} · <time dateTime={expires_at}>{clock(left)} left</time></span>
        {kept ?? <button type="button" className="link" aria-haspopup="dialog" onClick={onKeep}>Keep warm…</button>}
      </p>
    </div>
  );
}

function Broken({ broken }) {
  return (
    <p className="cache-broken" role="status">
      <b>Cold start:</b> {number(broken.tokens)} tokens the provider keeps would be read anew, {money(broken.cost)} more. {broken.sentence}
    </p>
  );
}

/** What the server knows, asked anew after `causes` change. `ahead`: how far its clock is ahead of ours, in ms. */
function useCacheState(id, causes) {
  const [state, setState] = useState(null);
  useEffect(() => {
    let current = true;
    let cancel = () => {};
    const timer = setTimeout(() => (cancel = whenIdle(read)), SETTLE_MS);
    async function read() {
      const { as_of, ...look } = looking();
      const query = new URLSearchParams(look);
      if (String(query).length > LONGEST_QUERY) return;
      const answer = await ask("GET", `/conversations/${id}/cache?${query}`).catch(() => null); // the next change asks again
      if (current) setState(answer && { ...answer, id, ahead: new Date(answer.now) - Date.now() });
    }
    return () => {
      current = false;
      clearTimeout(timer);
      cancel();
    };
  }, [id, ...causes]);
  return state?.id === id ? state : null;
}

const remaining = (at, ahead) => Math.max(0, Math.ceil((new Date(at) - Date.now() - ahead) / 1000));

function useSecondsLeft(at, ahead) {
  const [, tick] = useState(0);
  const left = at ? remaining(at, ahead) : 0;
  useEffect(() => {
    if (!at || !left) return undefined;
    const timer = setInterval(() => document.hidden || tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [at, left > 0]);
  return left;
}

/** The element that the line is put into: after what was asked in the pair that is kept last, or after its reply. */
function useSlot(box, place, causes) {
  const [slot, setSlot] = useState(null);
  useLayoutEffect(() => {
    const pair = place?.pair_id && box.current?.querySelector(`[data-pair="${CSS.escape(place.pair_id)}"]`);
    const first = place?.kind === "system" && box.current?.querySelector("[data-pair]");
    setSlot(pair ? (place.role === "user" ? pair.querySelector(".cache-slot") : pair) : first || null);
  }, [place?.pair_id, place?.kind, place?.role, ...causes]);
  return slot;
}

const clock = (seconds) =>
  seconds >= 3600
    ? `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")} h`
    : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
