/**
 * The dialog before a summary: which of the pairs in view it is to stand for, what it reads and what that costs.
 *
 * Fetched when it first opens; what can be had is asked of the server, so nothing is offered that it would refuse. The
 * summary is then written at the server; how it goes stands in a line with Stop, and what came of it can be taken back.
 */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { money, number, plural } from "./figures.js";
import { draftNow, looking, snapshot } from "./live.js";
import { summarise } from "./summarise.js";
import { tell, tellFault, tellWork } from "./toasts.js";

export default function SummaryDialog({ pair }) {
  const conversation = useRef(snapshot().id).current;
  const list = useRef(null);
  const [ways, setWays] = useState(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    let wanted = true;
    planAll(conversation, pair).then(
      ([found, refusal]) => wanted && (setWays(found), setSaid(found.length ? "" : refusal)),
    );
    return () => (wanted = false);
  }, [conversation, pair]);
  useEffect(() => list.current?.querySelector("button")?.focus(), [ways]);
  const walk = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !ways?.length) return;
    event.preventDefault();
    const buttons = [...list.current.querySelectorAll("button")];
    buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus();
  };
  const choose = ({ body }) => {
    closeDialog();
    begin(conversation, body);
  };
  return (
    <Dialog label="What is to be summarised?" className="modal over-budget" onClose={closeDialog}>
      <h2 className="dialog-title">What is to be summarised?</h2>
      <p className="dialog-words">The model reads these pairs once more; its summary is then sent in the place of all pairs before it. You can edit it, remove it, and take it back.</p>
      <div className="ways" ref={list} onKeyDown={walk}>
        {(ways ?? []).map((way) => (
          <button key={way.name} type="button" onClick={() => choose(way)}>
            <span className="way-name">{way.name}</span>
            <span className="way-figures">~{number(way.plan.tokens)} tokens · {money(way.plan.cost)}</span>
            <span className="way-note">{noteOf(way.plan)}</span>
          </button>
        ))}
      </div>
      <p className="dialog-words" role="status">{ways ? said : "Working out what that comes to…"}</p>
      <div className="dialog-buttons">
        <button type="button" data-first onClick={closeDialog}>Cancel</button>
      </div>
    </Dialog>
  );
}

const noteOf = ({ model, unread }) =>
  unread ? `Read by ${model}. ${plural(unread, "pair")} before it that the filter hides would not be sent any more, and ${unread === 1 ? "is" : "are"} not in the summary.` : `Read by ${model}.`;

/** The ways there are, each with what it comes to; and why there is none. */
async function planAll(conversation, pair) {
  const body = { ...looking(), text: draftNow() };
  const asked = [
    { name: "What does not fit, or else all in view", body },
    pair && { name: `The pairs in view up to pair ${pair.position}`, body: { ...body, up_to: pair.position } },
    { name: "All pairs in view", body: { ...body, everything: true } },
  ].filter(Boolean);
  let refusal = "";
  const plans = await Promise.all(
    asked.map((way) => ask("POST", `/conversations/${conversation}/summarize/preview`, way.body).catch(({ message }) => ((refusal = message), null))),
  );
  const found = asked.map((way, at) => ({ ...way, plan: plans[at] })).filter(({ plan }) => plan);
  const same = (one, other) => one.plan.pair_count === other.plan.pair_count && one.plan.position === other.plan.position;
  const named = found.map((way) => ({ ...way, name: way.body === body ? `The ${plural(way.plan.pair_count, "pair")} that ${way.plan.pair_count === 1 ? "does" : "do"} not fit` : `${way.name} (${number(way.plan.pair_count)})` }));
  // What does not fit is all there is when everything fits: then it is told once, by its plainer name.
  const distinct = named.filter((way, at) => !named.some((other, place) => place > at && same(way, other)));
  return [distinct, refusal];
}

async function begin(conversation, body) {
  try {
    const { checkpoint } = await ask("GET", `/conversations/${conversation}`);
    const started = await summarise(conversation, body, (words, stop) => tellWork(words, stop));
    const path = `/conversations/${conversation}/checkpoint`;
    tell(`${plural(started.pair_count, "pair")} summarised. The summary stands at the top and is sent in their place.`, () => (checkpoint ? ask("PUT", path, checkpoint) : ask("DELETE", path)));
  } catch (problem) {
    tellFault(problem);
  }
}
