/**
 * The tools of a conversation: how they are chosen, what each costs, and what a change does to what the provider keeps.
 *
 * What is shown is what the server would do with the next send; a choice is stored with the conversation at once. The
 * draft is told to it, for `auto` goes by its words.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { money, number, plural } from "./figures.js";
import { useLive } from "./history.jsx";
import { JsonView } from "./json_view.jsx";
import { drafted, looking } from "./live.js";

const MODES = [
  ["cached", "All, cached", "Every tool, in a fixed order, kept by the provider apart from the rest."],
  ["auto", "Automatic", "Every tool while they are small; else those that the draft speaks of or the pairs in view called."],
  ["all-on", "All", "Every tool, each time, kept with the rest of the request."],
  ["manual", "By hand", "The tools that are ticked below."],
  ["all-off", "None", "The model is told of no tool."],
];
const WHY = {
  all: "goes along",
  all_fit: "goes along: all of them are small enough",
  ticked: "ticked",
  shares_words: "the draft speaks of it",
  called_before: "called in the pairs in view",
  off: "off",
  not_ticked: "not ticked",
  nothing_shared: "the draft does not speak of it",
  model_cannot: "the model cannot call tools",
};
const SETTLE_MS = 400;
const LONGEST_DRAFT = 1_500;
const LONGEST_FILTER = 2_000;

export default function ToolsPanel({ conversation }) {
  const { seen, fault, change, busy } = useTools(conversation);
  if (!seen) return <p className={`inspector-note${fault ? " inspector-fault" : ""}`} role={fault ? "alert" : "status"}>{fault || "Looking at the tools…"}</p>;
  if (!seen.tools.length) return <Empty />;
  return (
    <div className="inspector-body tools-panel" tabIndex={0} role="region" aria-label="Tools" aria-busy={busy}>
      {fault ? <p className="inspector-note inspector-fault" role="alert">{fault}</p> : null}
      <Sum seen={seen} />
      <Modes seen={seen} choose={(tool_mode) => change({ tool_mode })} />
      <Breaks seen={seen} />
      <Tools seen={seen} tick={(ticked_tools) => change({ ticked_tools })} />
    </div>
  );
}

function Empty() {
  return (
    <div className="inspector-body">
      <p className="inspector-note">No tools yet. Connect a server of tools, or switch on built-in ones, and the model can call them here.</p>
      <a className="quiet" href="/settings#tools">Settings → Tools</a>
    </div>
  );
}

function Sum({ seen }) {
  const { able, count, tokens, tools, cost, overhead, model } = seen;
  if (!able) return <p className="tools-unable" role="status">{model} cannot call tools, so it is told of none.</p>;
  return (
    <p className="tools-sum" role="status">
      <b>{count} of {plural(tools.length, "tool")}</b> · ~{number(tokens)} tokens{priced(cost)} a send
      {count ? <small>, {number(overhead)} of them for having any at all</small> : null}
    </p>
  );
}

function Modes({ seen, choose }) {
  const of = Object.fromEntries(seen.modes.map((one) => [one.mode, one]));
  return (
    <fieldset className="tool-modes">
      <legend>Which tools go along</legend>
      {MODES.map(([mode, name, words]) => (
        <label key={mode} data-chosen={mode === seen.mode || undefined}>
          <input type="radio" name="tool-mode" value={mode} checked={mode === seen.mode} onChange={() => choose(mode)} aria-describedby={`tool-mode-${mode}`} />
          <span className="tool-mode-name">{name}</span>
          <span className="tool-mode-figures">{seen.able ? of[mode].count ? `${of[mode].count} · ~${number(of[mode].tokens)} tokens` : "none" : ""}</span>
          <span className="tool-mode-words" id={`tool-mode-${mode}`}>{words}{mode !== seen.mode ? <Loss mode={of[mode]} /> : null}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** What choosing another mode would do to what the provider keeps. */
function Loss({ mode: { same, breaks, read_tokens } }) {
  if (same) return " Nothing would change now.";
  if (breaks) return <em> Reads {number(breaks.tokens)} cached tokens anew, {money(breaks.cost)} more.</em>;
  return read_tokens ? ` Reads ${number(read_tokens)} tokens of the cache.` : null;
}

function Breaks({ seen }) {
  const own = seen.modes.find(({ mode }) => mode === seen.mode);
  if (own?.breaks)
    return <p className="tools-breaks" data-lost>These tools are not those that the provider keeps: the next send reads {number(own.breaks.tokens)} tokens anew, {money(own.breaks.cost)} more.</p>;
  if (seen.breaks) return <p className="tools-breaks">The provider keeps {number(seen.breaks.tokens)} tokens of this conversation behind these tools. Any other list of tools reads them anew, {money(seen.breaks.cost)} more.</p>;
  return null;
}

function Tools({ seen, tick }) {
  const { tools, mode, ticked, missing } = seen;
  const manual = mode === "manual";
  const servers = [...new Set(tools.map(({ server }) => server))];
  const set = (names, on) => tick(on ? [...new Set([...ticked, ...names])] : ticked.filter((name) => !names.includes(name)));
  return (
    <>
      {servers.map((server) => {
        const own = tools.filter((tool) => tool.server === server);
        const on = own.filter(({ name }) => ticked.includes(name)).length;
        return (
          <section key={server} aria-label={`Tools of ${server}`}>
            <h3 className="tools-server">
              {manual ? <Tick label={`All of ${server}`} checked={on === own.length} some={on > 0 && on < own.length} set={(checked) => set(own.map(({ name }) => name), checked)} /> : null}
              <span>{server}</span>
              <span className="tools-figures">~{number(own.reduce((sum, { tokens }) => sum + tokens, 0))} tokens</span>
            </h3>
            <ul className="tools-list">
              {own.map((tool) => <Tool key={tool.name} tool={tool} manual={manual} ticked={ticked.includes(tool.name)} set={(checked) => set([tool.name], checked)} />)}
            </ul>
          </section>
        );
      })}
      {missing.length ? <p className="inspector-note">Ticked, and not there now: {missing.join(", ")}. They go along again when their server is back.</p> : null}
    </>
  );
}

function Tool({ tool, manual, ticked, set }) {
  const [open, setOpen] = useState(false);
  const { name, title, tool: own, description, tokens, cost, chosen, why, words, input_schema_json, read_only } = tool;
  return (
    <li className="tools-tool" data-chosen={chosen || undefined}>
      {manual ? <Tick label={title || own} checked={ticked} set={set} /> : null}
      <details onToggle={({ target }) => setOpen(target.open)}>
        <summary>
          <span className="tools-name">{title || own}</span>
          <span className="tools-figures" title={cost === "unknown" ? undefined : `${money(cost)} a send`}>~{number(tokens)}<span className="unseen"> tokens</span></span>
          <span className="tools-why">{WHY[why]}{words.length ? `: ${words.slice(0, 4).join(", ")}` : ""}</span>
        </summary>
        {open ? (
          <div className="tools-more">
            {description ? <p>{description}</p> : null}
            <p className="inspector-note">The model calls it <code>{name}</code>{read_only ? ". Its server says that it changes nothing." : "."}{priced(cost) ? ` ${money(cost)} a send at the full price.` : ""}</p>
            <JsonView text={input_schema_json} label={`Copy the schema of ${name}`} />
          </div>
        ) : null}
      </details>
    </li>
  );
}

function Tick({ label, checked, some = false, set }) {
  const box = useRef(null);
  useEffect(() => {
    box.current.indeterminate = some;
  }, [some]);
  return <input ref={box} type="checkbox" aria-label={label} checked={checked} onChange={({ target }) => set(target.checked)} />;
}

const priced = (cost) => (cost === "unknown" || cost === "0" ? "" : ` · ${money(cost)}`);

/** What the server says of the tools, asked anew when something changes that matters; a choice is seen at once. */
function useTools(id) {
  const { view, running, ended, pairs, conversation } = useLive();
  const [state, setState] = useState({ seen: null, fault: "", busy: false });
  const turn = useRef(0);
  const read = useCallback(async () => {
    const mine = ++turn.current;
    const { as_of: _, filter, ...look } = looking();
    const query = new URLSearchParams({ ...look, ...(filter && filter.length <= LONGEST_FILTER && { filter }), text: drafted().slice(0, LONGEST_DRAFT) });
    const answer = await ask("GET", `/conversations/${id}/tools?${query}`).then((seen) => ({ seen, fault: "" }), (error) => ({ fault: error.message }));
    if (mine === turn.current) setState((was) => ({ ...was, ...answer, busy: false }));
  }, [id]);
  const started = useRef(false);
  useEffect(() => {
    const timer = setTimeout(read, started.current ? SETTLE_MS : 0);
    started.current = true;
    return () => clearTimeout(timer);
  }, [read, view?.filter, view?.model, view?.estimate?.tools, view?.estimate?.draft, view?.tools?.of, running, ended, pairs.length, conversation]);
  const change = async (fields) => {
    const mine = ++turn.current;
    setState((was) => ({ ...was, seen: { ...was.seen, ...(fields.tool_mode && { mode: fields.tool_mode }), ...(fields.ticked_tools && { ticked: fields.ticked_tools }) }, busy: true, fault: "" }));
    const fault = await ask("PATCH", `/conversations/${id}`, fields).then(() => "", (error) => error.message);
    if (mine !== turn.current) return;
    await read();
    if (fault) setState((was) => ({ ...was, fault }));
  };
  return { ...state, change };
}
