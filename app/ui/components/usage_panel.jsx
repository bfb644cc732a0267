/**
 * What the open conversation cost: in all, by purpose, and each request, the newest first. A section of the inspector.
 *
 * Requests of pairs that were edited, deleted or failed are here too: nothing that was paid for is forgotten.
 */
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { ask } from "./api.js";
import { charged, money, number, plural } from "./figures.js";
import { useLive } from "./history.jsx";
import { Moment } from "./shell.jsx";
import { allTokens } from "./spent.jsx";

const PURPOSES = { reply: "Reply", summary: "Summary", title: "Title", count: "Exact count", delegated: "Delegated work", comparison: "Compared reply", keep_warm: "Kept warm" };
const OUTCOMES = { error: "failed", canceled: "stopped" };

export const purposeWords = (purpose) => PURPOSES[purpose] ?? purpose;

export default function UsagePanel({ conversation }) {
  const { running, ended } = useLive();
  const [{ of, account }, setAccount] = useState({ of: "", account: null });
  const [calls, setCalls] = useState([]);
  const [cursor, setCursor] = useState(null);
  const [said, setSaid] = useState("");
  const show = (page, before) => {
    setCalls([...before, ...page.items]);
    setCursor(page.next_cursor);
  };
  useEffect(() => {
    if (running) return undefined;
    let asked = true;
    Promise.all([ask("GET", `/conversations/${conversation}/usage`), ask("GET", callsOf(conversation))]).then(
      ([account, page]) => {
        if (!asked) return;
        setAccount({ of: conversation, account });
        show(page, []);
        setSaid("");
      },
      ({ message }) => asked && setSaid(message),
    );
    return () => (asked = false);
  }, [conversation, running, ended]);
  const readOlder = () => ask("GET", `${callsOf(conversation)}&cursor=${cursor}`).then((page) => show(page, calls), ({ message }) => setSaid(message));
  if (said) return <p className="inspector-fault" role="alert">{said}</p>;
  if (of !== conversation) return <p className="inspector-note" role="status">Adding up…</p>;
  if (!account.total.calls) return <p className="inspector-note">Nothing was sent yet. Each request and what it cost will stand here.</p>;
  const { total, by_purpose, window: taken, budgets } = account;
  return (
    <div className="inspector-body usage-panel">
      <dl className="usage-facts">
        <div><dt>Cost</dt><dd>{charged(total)}</dd></div>
        <div><dt>{Number(total.saved) < 0 ? "Caching cost" : "Saved by caching"}</dt><dd>{saving(total)}</dd></div>
        <div><dt>Tokens</dt><dd>{number(allTokens(total))}</dd></div>
        {taken === null ? null : <div><dt>Context taken</dt><dd>{number(taken)}</dd></div>}
      </dl>
      {budgets.map(({ words, spent, amount, standing }) => (
        <p key={words} className="usage-budget" data-standing={standing}>{words}: {charged(spent)} of ${amount} spent</p>
      ))}
      <Kinds of={total} />
      {Object.keys(by_purpose).length > 1 ? (
        <p className="inspector-note">
          {Object.entries(by_purpose).map(([purpose, one]) => `${purposeWords(purpose)}: ${charged(one)}`).join(" · ")}
        </p>
      ) : null}
      <h3>{plural(total.calls, "request")}</h3>
      <ol className="usage-calls" aria-label="Requests, the newest first">
        {calls.map((call) => (
          <Call key={call.id} call={call} />
        ))}
      </ol>
      {cursor ? <button type="button" className="quiet" onClick={readOlder}>Show older requests</button> : null}
      <p className="inspector-note"><Link to="/usage">All usage and budgets</Link></p>
    </div>
  );
}

const callsOf = (conversation) => `/conversations/${conversation}/calls?limit=30`;

function Call({ call }) {
  const { purpose, position, model, outcome, error_class, started_at, told, attempt } = call;
  const words = purposeWords(purpose);
  // What was made elsewhere stands at a position there, which says nothing here.
  const what = call.derived || purpose === "count" ? words : position ? `${words}, pair ${position}` : `${words} that is gone`;
  const end = OUTCOMES[outcome] ? `${OUTCOMES[outcome]}${error_class ? ` (${error_class})` : ""}` : "";
  return (
    <li>
      <div className="usage-call">
        <span>{what}{attempt > 1 ? `, attempt ${attempt}` : ""}{end ? <em> {end}</em> : null}</span>
        <b>{purpose === "count" ? "free" : charged(call)}</b>
      </div>
      <div className="usage-call-more">
        <span>{model.slice(model.indexOf(":") + 1)}</span>
        <Moment at={started_at} />
        <span>{told ? tokensOf(call) : purpose === "count" ? "" : "its provider told no tokens"}</span>
        {told && foretold(call) ? <span className="usage-foretold" data-outcome={call.cache_outcome}>{foretold(call)}</span> : null}
      </div>
    </li>
  );
}

const tokensOf = ({ input_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens }) =>
  [
    `${number(input_tokens)} in`,
    cache_read_tokens ? `${number(cache_read_tokens)} cached` : "",
    cache_write_tokens + cache_write_1h_tokens ? `${number(cache_write_tokens + cache_write_1h_tokens)} to the cache` : "",
    `${number(output_tokens)} out`,
  ].filter(Boolean).join(" · ");

/** How what was foretold of the provider's cache came out: nothing where nothing was foretold, and nothing was read. */
function foretold({ predicted_read_tokens: tokens, cache_outcome: outcome, cache_why: why, cache_read_tokens: read }) {
  if (tokens === null || (!tokens && !read)) return "";
  if (outcome === "as_predicted") return "cache as foretold";
  if (outcome === "as_estimated") return `cache nearly as foretold (~${number(tokens)})`;
  return `${number(tokens)} cached were foretold. ${why ?? ""}`;
}

/** What caching saved, or what it cost more. */
export function saving({ saved }) {
  const dollars = Number(saved);
  if (!dollars) return "nothing";
  return dollars > 0 ? money(saved) : `${money(String(-dollars))} more`;
}

const KINDS = [
  ["input_tokens", "Read afresh"],
  ["cache_read_tokens", "Read from the cache"],
  ["cache_write_tokens", "Written to the cache, 5 minutes"],
  ["cache_write_1h_tokens", "Written to the cache, an hour"],
  ["output_tokens", "Written as replies"],
];

function Kinds({ of }) {
  return (
    <table className="usage-kinds">
      <caption className="unseen">Tokens by kind</caption>
      <tbody>
        {KINDS.filter(([name]) => of[name]).map(([name, words]) => (
          <tr key={name}><th scope="row">{words}</th><td>{number(of[name])}</td></tr>
        ))}
      </tbody>
    </table>
  );
}
