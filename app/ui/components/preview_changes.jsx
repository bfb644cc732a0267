/** What is different from the last request of this conversation, message by message. */
import { useEffect, useState } from "react";
import { ask } from "./api.js";
import { number, plural } from "./figures.js";
import { compareMessages } from "./request_diff.js";
import { Message } from "./preview_readable.jsx";

export function Changes({ conversation, preview }) {
  const { last, fault } = useLastRequest(conversation, preview.content_hash);
  if (fault) return <p className="inspector-fault" role="alert">{fault}</p>;
  if (last === undefined) return <p className="inspector-note" role="status">Reading the last request…</p>;
  if (last === null) return <p className="inspector-note">Nothing was sent in this conversation yet: all of this is new.</p>;
  const heads = [
    ["Model", last.model, preview.model],
    ["System", last.system ?? "", preview.system ?? ""],
    ["Parameters", settings(last.parameters), settings(preview.parameters)],
    ["Tools", names(last.tools), names(preview.tools)],
  ].filter(([, before, now]) => before !== now);
  const rows = compareMessages(last.messages, preview.messages);
  const same = rows.findIndex(({ sign }) => sign);
  const prefix = same < 0 ? rows.length : same;
  return (
    <div className="readable changes">
      {last.matches === false ? <p className="inspector-fault">What was sent then cannot be shown exactly: a pair of it was changed since. Its hash is another one now.</p> : null}
      <p className="inspector-note">
        {heads.length || !prefix ? null : `The first ${plural(prefix, "message")} ${prefix === 1 ? "is" : "are"} as in the last request. `}
        {!heads.length && prefix === rows.length ? "Nothing else is different." : null}
      </p>
      {heads.map(([name, before, now]) => (
        <section key={name} className="head-change" aria-label={`${name} changed`}>
          <h3>{name}</h3>
          <p className="words" data-sign="-">{before || "none"}</p>
          <p className="words" data-sign="+">{now || "none"}</p>
        </section>
      ))}
      <ol className="messages">
        {folded(rows).map((row, index) =>
          row.count ? <li key={index} className="same">{number(row.count)} the same</li> : <Message key={`${index}${row.sign}`} message={row.message} sign={row.sign} />,
        )}
      </ol>
    </div>
  );
}

const settings = (parameters = {}) =>
  Object.entries(parameters)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
const names = (tools = []) => tools.map(({ name, description, input_schema_json }) => `${name}: ${description} ${input_schema_json}`).join("\n");

/** The last request sent here: undefined while it is read, null if there is none. */
function useLastRequest(conversation, hash) {
  const [state, setState] = useState({ last: undefined, fault: "" });
  useEffect(() => {
    let wanted = true;
    lastRequest(conversation).then(
      (last) => wanted && setState({ last, fault: "" }),
      ({ message }) => wanted && setState({ last: undefined, fault: message }),
    );
    return () => (wanted = false);
  }, [conversation, hash]);
  return state;
}

async function lastRequest(conversation) {
  const { items } = await ask("GET", `/conversations/${conversation}/pairs?limit=1&filter=`);
  const run = items.at(-1)?.run_id;
  if (!run) return null;
  return ask("GET", `/runs/${run}/request`);
}

/** Runs of unchanged messages as one row. */
function folded(rows) {
  const result = [];
  for (const row of rows) {
    if (row.sign) result.push(row);
    else if (result.at(-1)?.count) result.at(-1).count++;
    else result.push({ count: 1 });
  }
  return result;
}
