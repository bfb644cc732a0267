/**
 * The lineage of a conversation, in the inspector: what it was derived from, and what was derived from it.
 *
 * The server is asked again while something is still being made, and whenever the conversation changes.
 */
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { ask } from "./api.js";
import { useLive } from "./history.jsx";
import { Moment } from "./shell.jsx";

const KINDS = { fork: "Fork", title: "Title", summary: "Summary", delegated: "Delegated work", compared: "Compared reply", keep_warm: "Kept warm", other: "Derived" };
const STATES = { pending: "Waiting", streaming: "Being written", completed: "Done", failed: "Failed" };
const PACE_MS = 1500;

export default function Lineage({ conversation }) {
  const [lineage, setLineage] = useState(null);
  const [fault, setFault] = useState("");
  const { running, pairs } = useLive();
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const read = () =>
      ask("GET", `/conversations/${conversation}/lineage`).then(
        (answer) => {
          if (gone) return;
          setLineage(answer);
          setFault("");
          if (answer.items.some(({ status }) => status === "pending" || status === "streaming")) timer = setTimeout(read, PACE_MS);
        },
        ({ message }) => gone || setFault(message),
      );
    read();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [conversation, running, pairs.length]);
  if (fault) return <p className="inspector-note" role="alert">{fault}</p>;
  if (!lineage) return <p className="inspector-note" role="status">Loading…</p>;
  const { origin, items } = lineage;
  return (
    <div className="lineage">
      <section aria-label="Derived from">
        <h3>Derived from</h3>
        {origin ? (
          <p>
            <Link to={`/c/${origin.conversation_id}`}>{origin.title || "Untitled conversation"}</Link>
            {origin.position ? <small> at pair {origin.position}</small> : null}
          </p>
        ) : (
          <p className="lineage-none">Nothing: it begins here.</p>
        )}
      </section>
      <section aria-label="Derived from it">
        <h3>Derived from it</h3>
        {items.length ? null : <p className="lineage-none">Nothing yet. Forks, titles, summaries and delegated work stand here.</p>}
        <ul>
          {items.map((item) => (
            <li key={item.conversation_id} data-status={item.status}>
              <Link to={`/c/${item.conversation_id}`}>{item.title || KINDS[item.kind]}</Link>
              <p>
                <span>{KINDS[item.kind]}</span>
                {item.kind === "fork" ? null : <b>{STATES[item.status]}</b>}
                {item.position ? <span>pair {item.position}</span> : null}
                {item.characters ? <span>{item.characters.toLocaleString()} characters</span> : null}
                {item.chunk_count === null ? null : <span>{item.chunk_count.toLocaleString()} chunks</span>}
                <Moment at={item.last_chunk_at ?? item.created_at} />
              </p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
