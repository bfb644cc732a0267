/**
 * Replies side by side as they come: each with its state, its figures, its own stop, and the button that keeps it. Where
 * a pair is answered again, the reply that stands in it is beside them.
 *
 * The dialog covers the page, as columns want room; Escape folds it away, and nothing is lost by that.
 */
import { Suspense, useEffect, useState } from "react";
import { ask } from "./api.js";
import { Dialog } from "./dialog.jsx";
import { money, number, plural } from "./figures.js";
import { useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { Written } from "./markdown.jsx";
import { watchReply } from "./compare.js";
import { tell } from "./toasts.js";

const Permissions = lazy(() => import("./permissions.jsx"));

const NOTHING = { pair: null, parts: [], retry: null };

export default function CompareReplies({ conversation, comparison, onFold, onBack }) {
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const { pairs, permissions } = useLive(); // those of the compared replies among them, and the dialog hides where they stand
  const again = comparison.pair_id; // null: the request is a new one
  const before = pairs.find(({ id }) => id === again);
  const place = `/conversations/${conversation}/comparison`;
  const call = async (method, path, body) => {
    setBusy(true);
    setFault("");
    try {
      return await ask(method, path, body);
    } catch (problem) {
      setFault(problem.message);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const keep = async (model) => {
    const kept = await call("POST", `${place}/keep`, { model });
    if (kept?.replaced) tell(`${before ? `Pair ${before.position}` : "The pair"}: the reply of ${model} stands`, () => takeBack(conversation, kept));
  };
  const discard = async () => {
    if (!(await call("DELETE", place))) return;
    if (!again) onBack(comparison.text);
    tell(again ? "Discarded the comparison; the pair is as it was" : "Discarded the comparison", () => ask("POST", `${place}/reopen`));
  };
  return (
    <Dialog label="Compared replies" className="modal compare" onClose={onFold}>
      <header>
        <h2 className="dialog-title">{comparison.runs.length} replies to compare{before ? ` for pair ${before.position}` : ""}</h2>
        <button type="button" className="quiet" disabled={busy} onClick={discard}>{again ? "Leave as it is" : "Keep none"}</button>
        <button type="button" className="quiet" data-first onClick={onFold} title="Back to the conversation (Esc)">Fold</button>
        <p dir="auto" className="compare-request">{comparison.text}</p>
      </header>
      {fault ? <p role="alert" className="compare-fault">{fault}</p> : null}
      {permissions?.length ? (
        <Suspense fallback={null}>
          <Permissions requests={permissions} />
        </Suspense>
      ) : null}
      <div className="compare-columns">
        {comparison.runs.map((run) => (
          <Column key={run.run_id} run={run} asks={Boolean(permissions?.some((one) => one.run_id === run.run_id))} busy={busy} onKeep={() => keep(run.model)} onStop={() => call("POST", `/runs/${run.run_id}/cancel`)} />
        ))}
        {before ? <Standing pair={before} /> : null}
      </div>
    </Dialog>
  );
}

/** Let stand what stood before one of them was kept. */
async function takeBack(conversation, { pair_id: pair, replaced, undo }) {
  await ask("POST", `/pairs/${pair}/restore`, { version: replaced });
  if (undo.length) await ask("POST", `/conversations/${conversation}/marks`, { changes: undo });
}

/** What the pair says now. It stays as a version if another is kept. */
function Standing({ pair }) {
  return (
    <section aria-label="The reply that stands" className="compare-standing">
      <header>
        <h3>{pair.model}</h3>
        <p>Stands now</p>
      </header>
      <div className="compare-body" tabIndex={0} role="group" aria-label="What stands now">
        {pair.parts.map((part, at) => (
          <Part key={at} part={part} />
        ))}
        {pair.error ? <Fault error={pair.error} /> : null}
      </div>
    </section>
  );
}

const Fault = ({ error }) => <p className="compare-fault">[error: {error.class}] {error.message} {error.next_step}</p>;

/** `asks`: a call of it waits for a person. */
function Column({ run, asks, busy, onKeep, onStop }) {
  const { pair, parts, retry } = useReply(run.conversation_id);
  const running = !pair || pair.lifecycle === "sending" || pair.lifecycle === "awaiting";
  return (
    <section aria-label={run.model} data-state={pair?.lifecycle}>
      <header>
        <h3>{run.model}</h3>
        <p role="status">{stateOf(pair, parts, retry, asks)}</p>
      </header>
      <div className="compare-body" tabIndex={0} role="group" aria-label={`Reply of ${run.model}`}>
        {parts.map((part, at) => (
          <Part key={at} part={part} live={running && at === parts.length - 1} />
        ))}
        {pair?.error && pair.lifecycle === "error" ? <Fault error={pair.error} /> : null}
      </div>
      <footer>
        <p>{figuresOf(pair, run)}</p>
        {running ? (
          <button type="button" className="quiet" disabled={busy} onClick={onStop} aria-label={`Stop ${run.model}`}>Stop</button>
        ) : (
          <button type="button" className="loud" disabled={busy || !parts.length} onClick={onKeep} aria-label={`Keep the reply of ${run.model}`}>Keep this one</button>
        )}
      </footer>
    </section>
  );
}

function Part({ part, live }) {
  if (part.type === "text") return <Written text={part.text} live={live} />;
  if (part.type === "tool_call") return <p className="compare-note">Tool: {part.name}</p>;
  if (part.type === "tool_result") return <p className="compare-note">{part.is_error ? "It failed, or was refused." : "It answered."}</p>;
  return (
    <details className="compare-note">
      <summary>{live ? "Thinking…" : "Thought"}</summary>
      <p dir="auto">{part.text}</p>
    </details>
  );
}

/** The reply as it comes, drawn at most once a frame however many pieces came. */
function useReply(conversation) {
  const [reply, setReply] = useState(NOTHING);
  useEffect(() => {
    let frame = 0;
    let newest = NOTHING;
    const stop = watchReply(conversation, (next) => {
      newest = next;
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setReply(newest);
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [conversation]);
  return reply;
}

const STATES = { succeeded: "Complete", canceled: "Stopped", error: "Failed" };

function stateOf(pair, parts, retry, asks) {
  if (asks) return "Waits for your permission";
  if (retry) return `Trying again in ${Math.ceil(retry.seconds)} s…`;
  return STATES[pair?.lifecycle] ?? (parts.length ? "Answering…" : "Thinking…");
}

function figuresOf(pair, run) {
  const sent = `${plural(run.sent_pairs, "pair")} sent`;
  if (!pair?.usage) return pair && pair.lifecycle in STATES ? `${sent} · tokens not told by the provider` : sent;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = pair.usage;
  const cost = pair.cost === "unknown" || !pair.cost_at_least ? money(pair.cost) : `≥ ${money(pair.cost)}`;
  return `${sent} · ${number(input_tokens + cache_read_tokens + cache_write_tokens)} in · ${number(output_tokens)} out · ${cost}`;
}
