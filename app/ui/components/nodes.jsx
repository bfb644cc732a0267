/**
 * The looks of what stands between pairs and is never sent: the request for a title or a summary with what it cost, the
 * title, the summary. Fetched once a conversation has any of it.
 *
 * What can be done with one is done here: read it, open the conversation it was made in, use an earlier summary again.
 */
import { Link } from "react-router";
import { Accounting, together } from "./accounting.jsx";
import { ask } from "./api.js";
import { useConversation } from "./history.jsx";
import { money, number } from "./figures.js";
import { snapshot } from "./live.js";
import { tell, tellFault } from "./toasts.js";

const LOOKS = { "system-title": Title, "system-summary": Summary };

export default function Nodes({ nodes }) {
  return together(nodes).map((group) => {
    const [node] = group;
    if (node.role === "accounting") return <Accounting key={node.id} nodes={group} />;
    const Look = LOOKS[node.role];
    return Look ? <Look key={node.id} node={node} /> : null;
  });
}

function Title({ node }) {
  return (
    <aside className="node" aria-label="Request for a title, never sent">
      <Asked node={node} words="Title asked for" icon={TITLE_ICON} />
      {node.made?.text.trim() ? <p className="node-title" dir="auto">{node.made.text.trim()}</p> : null}
    </aside>
  );
}

function Summary({ node }) {
  const conversation = useConversation();
  const text = node.made?.text.trim();
  const use = async () => {
    const path = `/conversations/${conversation}/checkpoint`;
    try {
      const { checkpoint } = await ask("GET", `/conversations/${conversation}`);
      await ask("PUT", path, { summary: text, position: node.position });
      tell("The pairs before this summary are out; it is sent in their place.", () => (checkpoint ? ask("PUT", path, checkpoint) : ask("DELETE", path)));
    } catch (problem) {
      tellFault(problem);
    }
  };
  return (
    <aside className="node" aria-label="Request for a summary, never sent">
      <Asked node={node} words={`Summary asked for of the pairs before ${node.position}`} icon={SUMMARY_ICON} />
      {text && node.made.lifecycle === "succeeded" ? (
        <details className="node-summary">
          <summary>Conversation Summary (Checkpoint)</summary>
          <p dir="auto">{text}</p>
          <div className="card-actions"><button type="button" onClick={use}>Use this summary</button></div>
        </details>
      ) : null}
    </aside>
  );
}

/** The request itself: who was asked, what it used, how it went. */
function Asked({ node, words, icon }) {
  const { made } = node;
  return (
    <p className="node-asked" data-failed={made?.error ? true : undefined}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d={icon} /></svg>
      <span>{words}</span>
      {made ? <span className="node-about">{describe(made)}</span> : <span className="node-about">The conversation it was made in is gone.</span>}
      {made ? <Link to={`/c/${made.conversation_id}`} title="The conversation it was made in">Request</Link> : null}
    </p>
  );
}

function describe({ model, lifecycle, usage, cost, cost_at_least, error, text }) {
  const spent = usage ? `${number(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens)} in · ${number(usage.output_tokens)} out · ${cost_at_least && cost !== "unknown" ? "≥ " : ""}${money(cost)}` : "";
  return [model, spent, HOW_IT_WENT[lifecycle]?.(error, text)].filter(Boolean).join(" · ");
}

const HOW_IT_WENT = {
  sending: () => "asking…",
  awaiting: () => "asking…",
  succeeded: (_error, text) => (text.trim() ? "" : "it said nothing; nothing was changed"),
  canceled: () => "stopped; nothing was changed",
  error: (error) => `failed: ${error?.message ?? ""} Nothing was changed.`,
};

const TITLE_ICON = "M3 4.5V3h10v1.5M8 3v10M6 13h4";
const SUMMARY_ICON = "M3 3.5h10M3 6.5h10M3 9.5h6M10.5 11.5l1.5 1.5 2.5-3";
