/** The request in words: what is left out and why, what the model cannot take, then everything that is sent, in order. */
import { useState } from "react";
import { number, plural } from "./figures.js";
import { pairOf } from "./live.js";
import { place } from "./prelude.jsx";

const REASONS = { over_budget: "over budget", before_checkpoint: "before the checkpoint", failed: "failed", filtered: "filtered" };
const MOST_NAMED = 12;
const FIRST = 60; // messages; the others on request

export function Readable({ preview }) {
  const { out = [], unsupported = [], redacted = [], system, tools = [], parameters = {}, headers = [], messages = [] } = preview;
  const [all, setAll] = useState(false);
  const shown = all ? messages : messages.slice(-FIRST);
  const set = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined);
  return (
    <div className="readable">
      {unsupported.length ? (
        <section className="unsupported" aria-label="Not supported by this model">
          <h3>This model cannot take</h3>
          <ul>{unsupported.map(({ pair_id, kind, reason }, index) => <li key={index}>{placeOf(pair_id)}: {kind}. {reason}</li>)}</ul>
        </section>
      ) : null}
      {redacted.length ? (
        <section className="left-out" aria-label="Replaced by marks">
          <h3>Kept back: a mark stands for it</h3>
          <ul>{redacted.map((one, index) => <li key={index}>{one.count > 1 ? `${one.count} × ` : ""}{one.kind} {place(one)}</li>)}</ul>
        </section>
      ) : null}
      {out.length ? <LeftOut out={out} /> : null}
      {system ? <Piece name="System" words={system} open /> : null}
      <h3>{plural(messages.length, "message")}</h3>
      {messages.length > shown.length ? (
        <button type="button" className="quiet" onClick={() => setAll(true)}>Show {number(messages.length - shown.length)} earlier</button>
      ) : null}
      <ol className="messages">
        {shown.map((message, index) => <Message key={messages.length - shown.length + index} message={message} open={index === shown.length - 1} />)}
      </ol>
      {tools.length ? (
        <>
          <h3>{plural(tools.length, "tool")}</h3>
          {tools.map((tool) => <Piece key={tool.name} name={tool.name} words={`${tool.description}\n\n${tool.input_schema_json}`} />)}
        </>
      ) : null}
      {set.length ? (
        <>
          <h3>Parameters</h3>
          <dl className="facts">{set.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{String(value)}</dd></div>)}</dl>
        </>
      ) : null}
      {headers.length ? (
        <details className="piece">
          <summary><span className="role">Headers</span><span className="gist">{plural(headers.length, "header")}, secrets masked</span></summary>
          <dl className="facts">{headers.map(({ name, value }) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
        </details>
      ) : null}
    </div>
  );
}

function LeftOut({ out }) {
  const byReason = grouped(out);
  return (
    <section className="left-out" aria-label="In view but not sent">
      <h3>In view, not sent</h3>
      <ul>
        {[...byReason].map(([reason, pairs]) => (
          <li key={reason}>{plural(pairs.length, "pair")}: {REASONS[reason] ?? reason}{positions(pairs)}</li>
        ))}
      </ul>
    </section>
  );
}

/** Which pairs those are, as far as they are loaded. */
function positions(pairs) {
  const known = pairs.map(({ pair_id }) => pairOf(pair_id)?.position).filter(Boolean);
  return known.length && known.length <= MOST_NAMED ? ` (${known.join(", ")})` : "";
}

function placeOf(pairId) {
  if (!pairId) return "The draft";
  const { position } = pairOf(pairId) ?? {};
  return position ? `Pair ${position}` : "An older pair";
}

function grouped(out) {
  const groups = new Map();
  for (const one of out) groups.set(one.reason, [...(groups.get(one.reason) ?? []), one]);
  return groups;
}

function Piece({ name, words, open }) {
  return (
    <details className="piece" open={open}>
      <summary><span className="role">{name}</span><span className="gist">{gist(words)}</span></summary>
      <p className="words">{words}</p>
    </details>
  );
}

/** One message: whose, from which pair, and all its parts. */
export function Message({ message, open = false, sign }) {
  const [drawn, setDrawn] = useState(open); // what is folded is not drawn: there may be a thousand
  const { role, position, pair_id, parts, whence = pair_id ? `pair ${position ?? ""}` : "draft" } = message;
  return (
    <li className="message" data-role={role} data-pair={pair_id ?? "draft"} data-sign={sign}>
      <details className="piece" open={open} onToggle={({ target }) => target.open && setDrawn(true)}>
        <summary>
          {sign ? <span className="sign" role="img" aria-label={{ "+": "added", "-": "gone" }[sign]}>{{ "+": "+", "-": "−" }[sign]}</span> : null}
          <span className="role">{role}</span>
          <span className="whence">{whence}</span>
          <span className="gist">{gist(parts.map(wordsOf).join(" "))}</span>
        </summary>
        {drawn ? parts.map((part, index) => <Part key={index} part={part} />) : null}
      </details>
    </li>
  );
}

function Part({ part }) {
  if (part.type === "text") return <p className="words">{part.text}</p>;
  if (part.type === "thinking") return <p className="words part-note"><strong>Thinking</strong> {part.text || "(hidden, signed)"}</p>;
  if (part.type === "tool_call") return <p className="words part-note"><strong>Calls {part.name}</strong> <code>{part.input_json}</code></p>;
  if (part.type === "tool_result") return <p className="words part-note"><strong>Result</strong> {(part.content ?? []).map(wordsOf).join("\n")}</p>;
  return <p className="words part-note"><strong>{part.type}</strong> {part.name ?? part.media_type}</p>;
}

const wordsOf = (part) => part.text ?? part.name ?? `[${part.type}]`;

/** The beginning, on one line. */
const gist = (words) => words.slice(0, 160).replace(/\s+/g, " ").trim();
