/**
 * Budgets: how each stands, who used it, and a form for another one. The server decides what is usable, and what stops.
 */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { charged, money } from "./figures.js";
import { options } from "./usage_report.jsx";

const SCOPES = { all: "Everything", conversation: "Each conversation", agent: "Each agent" };
const SPANS = { day: "a day", month: "a month", ever: "in all" };
const STANDINGS = { fine: "", warning: "Little is left", spent: "Spent" };
const OF_ONE = { conversation: "One conversation", agent: "One agent" };

export default function Budgets() {
  const [items, setItems] = useState(null);
  const [said, setSaid] = useState("");
  const [fault, setFault] = useState("");
  const form = useRef(null);
  const change = async (method, path, body, words) => {
    setSaid("");
    try {
      const answer = await ask(method, path, body);
      setItems((answer ?? (await ask("GET", "/budgets"))).items);
      setFault("");
      setSaid(words);
    } catch ({ message, problem }) {
      setFault(problem?.errors?.[0] ? `The ${problem.errors[0].field.replace("_", " ")}: ${problem.errors[0].reason}` : message);
    }
  };
  useEffect(() => {
    change("GET", "/budgets", undefined, "");
  }, []);
  const save = (event) => {
    event.preventDefault();
    const { scope, span, amount, warn, stops } = Object.fromEntries(new FormData(form.current));
    const body = { amount: amount.trim().replace(/^\$\s*/, ""), warn_at: Math.min(100, Math.max(1, Number(warn) || 80)) / 100, stops: Boolean(stops) };
    change("PUT", `/budgets/${scope}/${span}`, body, "Saved. It holds from the next send on.");
  };
  return (
    <section aria-labelledby="budgets-title" className="usage">
      <h2 id="budgets-title">Budgets</h2>
      <p className="usage-note">US dollars, by UTC days and months. One that stops lets nothing be sent that would go beyond it; what is free may always be sent.</p>
      <ul className="budgets" aria-label="Budgets">
        {(items ?? []).map((budget) => <Budget key={`${budget.scope} ${budget.subject} ${budget.span}`} budget={budget} change={change} />)}
      </ul>
      {items && !items.length ? <p className="usage-note">There is none yet.</p> : null}
      <form ref={form} className="usage-form" aria-label="Set a budget" onSubmit={save}>
        <label>Of <select name="scope" aria-label="Of what">{options(SCOPES)}</select></label>
        <label>for <select name="span" aria-label="For which time" defaultValue="month">{options(SPANS)}</select></label>
        <label>$ <input name="amount" aria-label="Amount in US dollars" inputMode="decimal" required size={7} placeholder="10.00" onInput={() => setFault("")} /></label>
        <label>warn at <input name="warn" aria-label="Warn at this share, in percent" inputMode="numeric" size={3} defaultValue="80" /> %</label>
        <label><input type="checkbox" name="stops" defaultChecked /> stop there</label>
        <button type="submit" className="quiet">Set the budget</button>
      </form>
      {fault ? <p className="usage-fault" role="alert">{fault}</p> : null}
      <p className="usage-note" role="status">{said}</p>
    </section>
  );
}

function Budget({ budget, change }) {
  const { scope, subject, span, amount, warn_at, stops, spent, standing, models, conversations } = budget;
  const name = `${subject ? OF_ONE[scope] : SCOPES[scope]}, ${SPANS[span]}`;
  const share = Math.min(100, (Number(spent.cost) / Number(amount)) * 100);
  const users = [...models.map(({ group }) => group.slice(group.indexOf(":") + 1)), ...conversations.map(({ title }) => title || "a conversation")];
  const used = conversations.length || models.length ? `Used by ${users.slice(0, 6).join(", ")}` : "";
  return (
    <li className="budget" data-standing={standing}>
      <div className="budget-line">
        <b>{name}</b>
        <span>{charged(spent)} of {money(amount)}{subject || scope === "all" ? "" : `, at most in one ${scope}`}</span>
        <em>{STANDINGS[standing]}</em>
        <button type="button" className="quiet" aria-label={`Remove the budget: ${name}`} onClick={() => change("DELETE", `/budgets/${scope}/${span}${subject ? `?subject=${encodeURIComponent(subject)}` : ""}`, undefined, "Removed.")}>Remove</button>
      </div>
      <div className="budget-meter" role="meter" aria-label={`Spent of ${name}`} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share)}><span style={{ width: `${share}%` }} /></div>
      <small>{stops ? "Stops" : "Only warns"}; warns at {Math.round(warn_at * 100)} %. {used}</small>
    </li>
  );
}
