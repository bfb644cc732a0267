/**
 * A tool call in the history: which tool, how far it is, for how long; unfolded, what went in and what came out.
 *
 * It looks the same live and loaded: all of it is read from the parts of the reply, where a result stands behind its
 * call. How far it is stands in its head, as nothing else of it is seen while it is folded. What only people look at (structured content, the input as it was run) is fetched when a card is unfolded. Its
 * insides are drawn by tool_card_body.jsx, which nobody loads who unfolds none.
 */
import { memo, Suspense, useEffect, useReducer, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { number } from "./figures.js";
import { lazy } from "./lazy.js";
import { onText, snapshot, subscribe } from "./live.js";

const Body = lazy(() => import("./tool_card_body.jsx"));

const GIST = 120;
const STATES = {
  "input-streaming": "Writing the arguments…",
  "input-available": "Running…",
  waiting: "Waiting for permission",
  "output-available": "Done",
  "output-error": "Failed",
  unanswered: "No result",
};

/** Call `index` of the reply of a pair. `live`: the reply is still running. */
export const ToolCard = memo(function ToolCard({ pair, index, live }) {
  const call = pair.parts[index];
  const result = resultOf(pair, call);
  const asks = useAsks(pair.id, call, live);
  useGrowth(pair.id, call.state === "input-streaming" && live);
  const [open, setOpen] = useState(false);
  const state = stateOf(call, result, live, asks);
  const error = state === "output-error" ? firstLine(result) : "";
  return (
    <details className="tool-card" data-state={state} onToggle={({ target }) => setOpen(target.open)}>
      <summary>
        <Mark state={state} />
        <span className="tool-name">{call.name}</span>
        <span className="tool-gist">{error || gist(call.input_json)}</span>
        <span className="tool-state" role={live ? "status" : undefined}>
          {wordsOf(state, call)}
          {result?.seconds != null ? <span className="tool-time"> · {duration(result.seconds)}</span> : null}
        </span>
        {state === "input-available" && call.progress ? <Progress told={call.progress} /> : null}
      </summary>
      {open ? (
        <Suspense fallback={<p className="tool-note">Loading…</p>}>
          <Body pairId={pair.id} call={call} result={result} state={state} />
        </Suspense>
      ) : null}
    </details>
  );
});

function Mark({ state }) {
  const path = { "output-available": "m3.5 8.5 3 3 6-7", "output-error": "m4.5 4.5 7 7m0-7-7 7", unanswered: "M4 8h8", waiting: "M8 4v4.5M8 11.6v.1" }[state];
  return path ? <svg className="tool-mark" viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg> : <span className="tool-mark pulse" aria-hidden="true" />;
}

function Progress({ told: { progress, total, message, conversation_id: doneIn } }) {
  const share = total ? Math.min(1, progress / total) : null;
  return (
    <span className="tool-progress">
      {share === null ? null : <progress aria-label={message || "Progress of the tool"} max={1} value={share} />}
      <span dir="auto">{message || (share === null ? number(progress) : `${Math.round(share * 100)} %`)}</span>
      {doneIn ? <Link className="tool-place" to={`/c/${doneIn}`}>Open</Link> : null}
    </span>
  );
}

const resultOf = (pair, call) => pair.parts.find((part) => part.type === "tool_result" && part.tool_call_id === call.tool_call_id);

function stateOf(call, result, live, asks) {
  if (result) return result.is_error ? "output-error" : "output-available";
  if (!live) return "unanswered";
  return asks ? "waiting" : call.state === "input-streaming" ? "input-streaming" : "input-available";
}

const wordsOf = (state, { progress }) => (state === "input-available" && progress?.total ? `Running, ${Math.round((100 * progress.progress) / progress.total)} %` : STATES[state]);

/** Whether a person is being asked whether this call may be made. */
const useAsks = (pairId, call, live) =>
  useSyncExternalStore(
    subscribe,
    () => live && (snapshot().permissions ?? []).some((one) => one.tool_call_id === call.tool_call_id && one.pair_id === pairId),
    () => false,
  );

/** Draw again while the arguments are being written; they grow in place. */
function useGrowth(pairId, growing) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    if (!growing) return undefined;
    let frame = 0;
    const stop = onText(pairId, () => (frame ||= requestAnimationFrame(() => ((frame = 0), redraw()))));
    return () => {
      cancelAnimationFrame(frame);
      stop();
    };
  }, [pairId, growing]);
}

/** The arguments on one line. */
function gist(json) {
  const words = json.slice(0, 4 * GIST).replace(/\s+/g, " ").trim();
  return words === "{}" ? "" : words.length > GIST ? `${words.slice(0, GIST)}…` : words;
}

const firstLine = (result) => (result.content.find((piece) => piece.type === "text")?.text ?? "").split("\n", 1)[0].slice(0, 2 * GIST);

/** Seconds in words: 0.3 s, 12 s, 2 min 5 s. */
export function duration(seconds) {
  if (seconds < 0.995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  return seconds < 60 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

