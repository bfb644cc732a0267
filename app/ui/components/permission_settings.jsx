/** What may be called without asking, to be revoked, and the audit trail of every decision about a call. */
import { useEffect, useState } from "react";
import { ask } from "./api.js";

const DONE = {
  "permission.asked": "Asked",
  "permission.allowed": "Allowed",
  "permission.denied": "Denied",
  "permission.refused": "Refused",
  "permission.expired": "Expired",
  "permission.rule_made": "Rule made",
  "permission.rule_revoked": "Rule revoked",
};
const BY = { person: "by you", rule: "by a rule", agent: "by the agent’s list", "built-in": "it only reads", server: "its server was changed" };
const WHY = { time: "nobody answered", stopped: "the reply was stopped", interrupted: "Inview ended" };

export function PermissionSettings() {
  const [rules, setRules] = useState(null);
  const [trail, setTrail] = useState(null);
  const [said, setSaid] = useState("");
  const failed = ({ message }) => setSaid(message);
  useEffect(() => {
    ask("GET", "/permission-rules").then(({ items }) => setRules(items), failed);
  }, []);
  const read = (cursor) =>
    ask("GET", `/audit?limit=50${cursor ? `&cursor=${cursor}` : ""}`).then(({ items, next_cursor }) => setTrail({ items: cursor ? [...trail.items, ...items] : items, next: next_cursor }), failed);
  const revoke = async (rule) => {
    try {
      await ask("DELETE", `/permission-rules/${rule.id}`);
      setSaid(`Revoked. ${rule.title} is asked again from now on.`);
    } catch (problem) {
      failed(problem);
    }
    await ask("GET", "/permission-rules").then(({ items }) => setRules(items), failed);
    if (trail) await read();
  };
  if (!rules) return <p className="context-said" role="status">{said || "Reading the rules…"}</p>;
  return (
    <div className="context-settings permission-settings" role="group" aria-label="Permissions">
      {rules.length ? (
        <ul aria-label="Rules">
          {rules.map((rule) => (
            <li key={rule.id}>
              <p>
                <strong>{rule.server}: {rule.title}</strong> <span>{rule.scope === "always" ? "always" : <>in <a href={`/c/${rule.conversation_id}`}>one conversation</a></>}, since {day(rule.created_at)}</span>
                {Object.entries(rule.arguments).map(([name, pattern]) => <code key={name}>{name}: {pattern}</code>)}
              </p>
              <button type="button" className="quiet" aria-label={`Revoke ${rule.server}: ${rule.title}`} onClick={() => revoke(rule)}>Revoke</button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="context-said">No rules: every call of a tool is asked, but for the current time and the search in your own conversations, which only read.</p>
      )}
      <p className="context-said" role="status">{said}</p>
      <details onToggle={({ target }) => target.open && !trail && read()}>
        <summary>Every decision so far</summary>
        {trail?.items.length ? (
          <>
            <ol className="audit" aria-label="Audit trail">
              {trail.items.map(({ id, at, action, data }) => (
                <li key={id}>
                  <time dateTime={at}>{new Date(at).toLocaleString()}</time> <strong>{DONE[action] ?? action}</strong> {data.server}: {data.tool} <span>{[BY[data.by], WHY[data.why], data.scope && `scope: ${data.scope}`].filter(Boolean).join(", ")}</span>
                  {data.edited ?? data.input ? <code dir="auto">{data.edited ?? data.input}</code> : null}
                </li>
              ))}
            </ol>
            {trail.next ? <button type="button" className="quiet" onClick={() => read(trail.next)}>Older ones</button> : null}
          </>
        ) : (
          <p className="context-said">{trail ? "Nothing was called yet." : "Reading…"}</p>
        )}
      </details>
    </div>
  );
}

const day = (at) => new Date(at).toLocaleDateString();
