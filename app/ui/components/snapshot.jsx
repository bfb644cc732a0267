/**
 * The request kept of a pair that failed: as it left, and compared with what sending the pair again would send now.
 *
 * Fetched when it first opens. The body's bytes are shown as they are; they can be sent again as they are.
 */
import { useEffect, useMemo, useRef, useState } from "react";
import { ask } from "./api.js";
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { number, plural } from "./figures.js";
import { JsonView } from "./json_view.jsx";
import { looking } from "./live.js";
import { Message } from "./preview_readable.jsx";
import { compareMessages, keyOf } from "./request_diff.js";
import { answerAgain, sendAsItWas } from "./resend.js";

const TABS = [
  ["sent", "As it left"],
  ["now", "Compared with now"],
];

export default function Snapshot({ pair }) {
  const [tab, setTab] = useState("sent");
  const tabs = useRef(null);
  const { kept, fault } = useKept(pair.id);
  const label = `What was sent for pair ${pair.position}`;
  const walk = (event) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    const at = (TABS.findIndex(([name]) => name === tab) + 1) % TABS.length;
    setTab(TABS[at][0]);
    tabs.current.children[at].focus();
  };
  const then = (act) => {
    closeDialog();
    act();
  };
  return (
    <Dialog label={label} className="modal snapshot" onClose={closeDialog}>
      <h2 className="dialog-title">{label}</h2>
      <div className="tabs" role="tablist" aria-label={label} ref={tabs} onKeyDown={walk}>
        {TABS.map(([name, words]) => (
          <button key={name} type="button" role="tab" id={`snapshot-tab-${name}`} aria-selected={tab === name} aria-controls="snapshot-panel" tabIndex={tab === name ? 0 : -1} data-first={tab === name || undefined} onClick={() => setTab(name)}>
            {words}
          </button>
        ))}
      </div>
      <div className="snapshot-body" id="snapshot-panel" role="tabpanel" aria-labelledby={`snapshot-tab-${tab}`} tabIndex={0}>
        {fault ? <p className="inspector-fault" role="alert">{fault}</p> : null}
        {kept || fault ? null : <p className="inspector-note" role="status">Reading the request…</p>}
        {kept && tab === "sent" ? <AsItLeft kept={kept} /> : null}
        {kept && tab === "now" ? <Compared pair={pair} kept={kept} /> : null}
      </div>
      <div className="dialog-buttons">
        {kept ? <button type="button" onClick={() => then(() => answerAgain(pair))}>Send as it would be now</button> : null}
        {kept ? <button type="button" onClick={() => then(() => sendAsItWas(pair))}>Send as it was</button> : null}
        <button type="button" onClick={closeDialog}>Close</button>
      </div>
    </Dialog>
  );
}

function AsItLeft({ kept }) {
  return (
    <>
      <dl className="facts">
        <div><dt>Model</dt><dd>{kept.model}</dd></div>
        <div><dt>To</dt><dd>POST {kept.url}</dd></div>
        <div><dt>When</dt><dd>{new Date(kept.created_at).toLocaleString()}</dd></div>
        <div><dt>Body</dt><dd>{number(new TextEncoder().encode(kept.bodyText).length)} bytes, as they left; keys in headers are masked</dd></div>
        {kept.headers.map(({ name, value }) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
      </dl>
      <JsonView text={kept.bodyText} label="Copy the body" />
    </>
  );
}

function Compared({ pair, kept }) {
  const [{ now, fault }, setState] = useState({ now: null, fault: "" });
  useEffect(() => {
    let wanted = true;
    ask("POST", `/pairs/${pair.id}/preview`, { ...looking(), model: kept.model }).then(
      (answer) => wanted && setState({ now: answer, fault: "" }),
      ({ message }) => wanted && setState({ now: null, fault: message }),
    );
    return () => (wanted = false);
  }, [pair.id, kept]);
  const changes = useMemo(() => now && compareBodies(kept.body, now.body), [kept, now]);
  if (fault) return <p className="inspector-fault" role="alert">{fault}</p>;
  if (!now) return <p className="inspector-note" role="status">Building what would be sent now…</p>;
  const same = now.content_hash === kept.content_hash && !changes.heads.length && changes.rows.every(({ sign }) => !sign);
  if (same) return <p className="inspector-note">The same: sending it now would send exactly this again.</p>;
  const went = changes.rows.filter(({ sign }) => sign === "-").length;
  const came = changes.rows.filter(({ sign }) => sign === "+").length;
  return (
    <div className="readable changes">
      <p className="inspector-note">Against what was sent, now {plural(came, "message")} would come and {plural(went, "message")} would be gone.</p>
      {now.url === kept.url ? null : <Head name="To" before={kept.url} now={now.url} />}
      {changes.heads.map(([name, before, after]) => <Head key={name} name={name} before={before} now={after} />)}
      <ol className="messages">
        {changes.rows.map((row, at) => <Message key={`${at}${row.sign}`} message={row.message} sign={row.sign || undefined} />)}
      </ol>
    </div>
  );
}

const Head = ({ name, before, now }) => (
  <section className="head-change" aria-label={`${name} changed`}>
    <h3>{name}</h3>
    <p className="words" data-sign="-">{before || "none"}</p>
    <p className="words" data-sign="+">{now || "none"}</p>
  </section>
);

// Where providers' protocols keep the messages of a request; all other fields are compared as wholes.
const LISTS = ["messages", "input"];

function compareBodies(before, now) {
  const list = LISTS.find((name) => Array.isArray(before[name])) ?? LISTS[0];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => name !== list);
  const heads = names.filter((name) => keyOf(before[name]) !== keyOf(now[name])).map((name) => [name, words(before[name]), words(now[name])]);
  return { heads, rows: compareMessages((before[list] ?? []).map(readable), (now[list] ?? []).map(readable)) };
}

const words = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** A message in whatever protocol's form, as something to be read. */
function readable({ role = "item", content, ...rest }) {
  const parts = [content ?? []].flat().map((part) => ({ type: "text", text: typeof part === "string" ? part : (part.text ?? JSON.stringify(part)) }));
  const others = Object.keys(rest).length ? [{ type: "text", text: JSON.stringify(rest) }] : [];
  return { role, parts: [...parts, ...others], whence: "" };
}

function useKept(id) {
  const [state, setState] = useState({ kept: null, fault: "" });
  useEffect(() => {
    let wanted = true;
    readKept(id).then(
      (kept) => wanted && setState({ kept, fault: "" }),
      ({ message }) => wanted && setState({ kept: null, fault: message }),
    );
    return () => (wanted = false);
  }, [id]);
  return state;
}

async function readKept(id) {
  const response = await fetch(`/api/v1/pairs/${id}/snapshot`, { headers: { Accept: "application/json" } }).catch(() => {
    throw new Error("Inview cannot be reached. Try again in a moment.");
  });
  if (response.status === 404) throw new Error("The request of what stands here is not kept: only that of the newest failure is.");
  const text = await response.text();
  const kept = JSON.parse(text);
  if (!response.ok) throw new Error(kept.detail ?? kept.title);
  // The body's own bytes, which parsing and writing again might change.
  return { ...kept, bodyText: text.slice(text.indexOf('"body":') + 7, text.lastIndexOf(',"content_hash":')) };
}
