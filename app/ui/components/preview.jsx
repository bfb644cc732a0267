/**
 * The preview: exactly the request that Send would make now, as words, as JSON, and compared with the one before it.
 *
 * Nothing here is made up by the page: the JSON is the body's bytes as the server would send them, and its hash is
 * recomputed here. A small preview is kept up to date; a large one says that it is old and waits to be asked.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { useLive } from "./history.jsx";
import { looking } from "./live.js";
import { draftNow } from "./estimate.jsx";
import { band, bandWords, money, number, plural } from "./figures.js";
import { CopyButton } from "./code.jsx";
import { JsonView } from "./json_view.jsx";
import { Readable } from "./preview_readable.jsx";
import { Changes } from "./preview_changes.jsx";

const REST_MS = 350;
const LARGE = 400_000; // characters
const TABS = [
  ["readable", "Readable"],
  ["json", "JSON"],
  ["changes", "Changes"],
];

export default function Preview({ conversation }) {
  const { preview, fault, stale, load } = usePreview(conversation);
  const [tab, setTab] = useState("readable");
  const tabs = useRef(null);
  const walk = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (TABS.findIndex(([name]) => name === tab) + step + TABS.length) % TABS.length;
    setTab(TABS[at][0]);
    tabs.current.children[at].focus();
  };
  if (fault) {
    return (
      <div className="inspector-body">
        <p className="inspector-fault" role="alert">{fault}</p>
        <button type="button" className="quiet" onClick={load}>Try again</button>
      </div>
    );
  }
  if (!preview) return <p className="inspector-note" role="status">Building the request…</p>;
  return (
    <>
      <div className="tabs" role="tablist" aria-label="Preview" ref={tabs} onKeyDown={walk}>
        {TABS.map(([name, words]) => (
          <button key={name} type="button" role="tab" id={`preview-tab-${name}`} aria-selected={tab === name} aria-controls="preview-panel" tabIndex={tab === name ? 0 : -1} onClick={() => setTab(name)}>
            {words}
          </button>
        ))}
        {stale ? <button type="button" className="tabs-stale" onClick={load}>Changed since. Refresh</button> : null}
      </div>
      <div className="inspector-body" id="preview-panel" role="tabpanel" aria-labelledby={`preview-tab-${tab}`} tabIndex={0}>
        {tab === "readable" ? <><Summary preview={preview} /><Readable preview={preview} /></> : null}
        {tab === "json" ? <><Hashes preview={preview} /><JsonView text={preview.bodyText} label="Copy the body" /></> : null}
        {tab === "changes" ? <Changes conversation={conversation} preview={preview} /> : null}
      </div>
    </>
  );
}

function usePreview(conversation) {
  const { id, view, running, ended } = useLive();
  const [state, setState] = useState({ preview: null, fault: "", of: null });
  const newest = useRef(0);
  const now = id === conversation ? view : null;
  const moment = `${running} ${ended}`;
  const load = useCallback(async () => {
    const number = ++newest.current;
    const answer = await fetchPreview(conversation).catch(({ message }) => ({ fault: message }));
    if (number === newest.current) setState({ preview: null, fault: "", ...answer, of: [now, moment] });
  }, [conversation, now, moment]);
  const stale = Boolean(state.of) && (state.of[0] !== now || state.of[1] !== moment);
  const large = (state.preview?.bodyText.length ?? 0) > LARGE;
  useEffect(() => {
    if (state.of && (!stale || large)) return undefined;
    const timer = setTimeout(load, state.of ? REST_MS : 0);
    return () => clearTimeout(timer);
  }, [load, stale, large]);
  return { ...state, stale: stale && large, load };
}

async function fetchPreview(conversation) {
  const response = await fetch(`/api/v1/conversations/${conversation}/preview`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ text: draftNow(), ...looking() }),
  }).catch(() => {
    throw new Error("Inview cannot be reached. Try again in a moment.");
  });
  const text = await response.text();
  const preview = JSON.parse(text);
  if (!response.ok) throw new Error([preview.detail ?? preview.title, preview.next_step].filter(Boolean).join(" "));
  // The body's own bytes, which parsing and writing again might change (1.0, large numbers).
  const bodyText = text.slice(text.indexOf('"body":') + 7, text.lastIndexOf(',"body_sha256":'));
  return { preview: { ...preview, bodyText, verified: await isHash(bodyText, preview.body_sha256) } };
}

/** Whether the text has that SHA-256. null: this browser computes none here, as the page has no secure connection. */
async function isHash(text, expected) {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === expected;
}

function Summary({ preview }) {
  const { model, method, url, x, y, estimate } = preview;
  return (
    <dl className="facts">
      <div><dt>Model</dt><dd>{model}</dd></div>
      <div><dt>To</dt><dd>{method} {url}</dd></div>
      {y === undefined ? null : <div><dt>Pairs</dt><dd>{number(x)} of {plural(y, "pair")} in view</dd></div>}
      {estimate ? <div><dt>Size</dt><dd>{band(estimate.tokens, estimate.error_band)} tokens ({bandWords(estimate.error_band)}), {money(estimate.cost)}</dd></div> : null}
    </dl>
  );
}

function Hashes({ preview }) {
  const { content_hash, body_sha256, bodyText, verified } = preview;
  return (
    <dl className="facts">
      <div><dt>Content hash</dt><dd><Hash value={content_hash} of="the content hash" /></dd></div>
      <div><dt>Body SHA-256</dt><dd><Hash value={body_sha256} of="the body's hash" /></dd></div>
      <div>
        <dt>Body</dt>
        <dd>
          {number(new TextEncoder().encode(bodyText).length)} bytes, as they would leave.
          {verified ? " Hash recomputed here: it is the same." : null}
          {verified === false ? <strong className="inspector-fault"> Its hash is another one.</strong> : null}
        </dd>
      </div>
    </dl>
  );
}

const Hash = ({ value, of }) => (
  <>
    <code title={value}>{value.slice(0, 16)}…</code> <CopyButton text={value} label={`Copy ${of}`} />
  </>
);
