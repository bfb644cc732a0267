/**
 * The inside of a tool's card: arguments and result, readable, with copy buttons; long ones are folded.
 *
 * The record of the call is fetched once: whose server it was, what was run if a person changed the arguments, and
 * structured content, of which the reply itself holds nothing.
 */
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { ask } from "./api.js";
import { CopyButton } from "./code.jsx";
import { charged, number, plural } from "./figures.js";
import { JsonView } from "./json_view.jsx";

const LONG = 2_000; // characters that are shown of a longer text
const MOST_LINES = 24;
const FAULTS = {
  unknown: "The model was told of no such tool.",
  invalid_input: "The arguments are not what the tool takes.",
  denied: "It was not allowed.",
  gone: "The tool is not there any more.",
  unavailable: "Its server does not run.",
  died: "Its server ended while it was at it.",
  timed_out: "It did not answer in time.",
  protocol: "Its server answered what is no answer.",
  refused: "Inview refused it.",
  too_large: "It answered more than is taken.",
  unrecorded: "The call could not be recorded, so it was not made.",
  stopped: "The reply ended before it had answered.",
  interrupted: "Inview ended before it had answered.",
  internal: "Inview failed.",
};

export default function ToolCardBody({ pairId, call, result, state }) {
  const record = useRecord(pairId, call.tool_call_id, Boolean(result) || state === "unanswered");
  const handed = handedTo(record);
  const changed = record?.run_json && !sameJson(record.run_json, call.input_json);
  return (
    <div className="tool-body">
      {record?.server ? <p className="tool-note">{record.title || record.tool} · server {record.server}</p> : null}
      {handed ? <Delegated to={handed} /> : null}
      <Input title={changed ? "Arguments, as the model asked" : "Arguments"} json={call.input_json} whole={call.state !== "input-streaming"} />
      {changed ? <Input title="Arguments, as they were run" json={record.run_json} whole /> : null}
      {record?.fault ? <p className="tool-fault">{FAULTS[record.fault] ?? record.fault}</p> : null}
      {result ? <Result content={record?.content ?? result.content} cut={Boolean(record?.content)} error={result.is_error} /> : null}
      {state === "unanswered" ? <p className="tool-note">The reply ended before this call was answered. It is not sent along.</p> : null}
      {record?.structured_json && !handed ? (
        <>
          <h4>Structured content</h4>
          <JsonView text={record.structured_json} label="Copy the structured content" />
        </>
      ) : null}
    </div>
  );
}

/** Where work that was handed over was done, and what it cost. */
function Delegated({ to: { agent, conversation_id: conversation } }) {
  const [cost, setCost] = useState("");
  useEffect(() => {
    let current = true;
    const add = ({ items }) => current && setCost(items.length ? ` · ${plural(items.length, "request")}, ${charged(total(items))}` : "");
    ask("GET", `/conversations/${conversation}/calls?limit=100`).then(add, () => current && setCost(" · it was deleted"));
    return () => (current = false);
  }, [conversation]);
  return <p className="tool-note"><Link className="tool-place" to={`/c/${conversation}`}>Open the conversation of {agent}</Link>{cost}</p>;
}

/** What these requests cost together; of what has no price it is at least so much. */
const total = (items) => ({
  cost: items.reduce((sum, { cost }) => sum + (Number(cost) || 0), 0),
  cost_at_least: items.some(({ cost, cost_at_least }) => cost_at_least || cost === "unknown"),
});

/** The agent and the conversation of a call that handed work over; null of any other call. */
function handedTo(record) {
  if (record?.server_id !== "built-in" || record.tool !== "delegate" || !record.structured_json) return null;
  return JSON.parse(record.structured_json);
}

function Input({ title, json, whole }) {
  if (whole && (json === "" || json === "{}")) return <p className="tool-note">Without arguments.</p>;
  return (
    <>
      <h4>{title}</h4>
      {whole ? <JsonView text={json} label="Copy the arguments" /> : <pre className="tool-text">{json}</pre>}
    </>
  );
}

function Result({ content, cut, error }) {
  const words = content.filter((piece) => piece.type === "text").map((piece) => piece.text).join("\n");
  return (
    <section className="tool-result" data-error={error || undefined} aria-label={error ? "Error of the tool" : "Result of the tool"}>
      <header>
        <h4>{error ? "Error" : "Result"}</h4>
        {words ? <CopyButton text={words} label="Copy the result" /> : null}
      </header>
      {cut ? <p className="tool-note">All of it; the model got the beginning.</p> : null}
      {content.map((piece, at) => <Piece key={at} piece={piece} />)}
      {content.length ? null : <p className="tool-note">It gave nothing.</p>}
    </section>
  );
}

function Piece({ piece }) {
  if (piece.type === "text") return isJson(piece.text) ? <JsonView text={piece.text} label="Copy this result" /> : <LongText text={piece.text} />;
  const address = `/api/v1/attachments/${piece.attachment_id}`;
  if (piece.type === "image") {
    const { width, height } = piece;
    return (
      <a className="tool-image" href={address} target="_blank" rel="noreferrer">
        <img src={address} alt="Picture the tool gave" {...(width && height && { width, height })} />
      </a>
    );
  }
  return <p><a className="tool-file" href={address} download={piece.name || true}>{piece.name || "File"}</a> <span className="tool-note">{piece.media_type}</span></p>;
}

function LongText({ text }) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n", MOST_LINES + 1);
  const long = text.length > LONG || lines.length > MOST_LINES;
  const shown = all || !long ? text : lines.slice(0, MOST_LINES).join("\n").slice(0, LONG);
  return (
    <>
      <pre className="tool-text" dir="auto">{shown}{long && !all ? "…" : ""}</pre>
      {long ? (
        <button type="button" className="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all, ${number(text.length)} characters`}
        </button>
      ) : null}
    </>
  );
}

/** What is stored of a call; null as long as nobody has said, or where nothing is. */
function useRecord(pairId, toolCallId, over) {
  const [record, setRecord] = useState(null);
  useEffect(() => {
    let current = true;
    const take = ({ items }) => current && setRecord(items.findLast((one) => one.tool_call_id === toolCallId) ?? null);
    if (over) ask("GET", `/pairs/${pairId}/tool-calls`).then(take, () => {}); // the card says what the reply holds without it
    return () => (current = false);
  }, [pairId, toolCallId, over]);
  return record;
}

const isJson = (text) => {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
};

/** Whether two JSON texts say the same in the same order. */
function sameJson(one, other) {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other || "{}"));
  } catch {
    return false;
  }
}
