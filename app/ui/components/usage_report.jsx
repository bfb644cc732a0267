/**
 * What was spent: totals of a period, a chart of its days, and a table by model, conversation, agent, purpose or day.
 *
 * The server adds up; a newer choice makes an answer that is still on its way count for nothing.
 */
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { ask } from "./api.js";
import { charged, number, plural, short } from "./figures.js";
import { allTokens } from "./spent.jsx";
import { Chart } from "./usage_chart.jsx";
import { purposeWords, saving } from "./usage_panel.jsx";

const DAY_MS = 86_400_000;
const PERIODS = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "a year", all: "all time" };
const GROUPS = { model: "Model", conversation: "Conversation", purpose: "Purpose", agent: "Agent", day: "Day", month: "Month" };
const MOST_DAYS = 120;

const dayAgo = (days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const asQuery = (period) => (period === "all" ? "" : `&from=${dayAgo(Number(period) - 1)}&to=${dayAgo(0)}`);

export default function Report() {
  const [period, setPeriod] = useState("30");
  const [group, setGroup] = useState("model");
  const [found, setFound] = useState(null);
  const [fault, setFault] = useState("");
  const unit = period === "all" || Number(period) > MOST_DAYS ? "month" : "day";
  useEffect(() => {
    let wanted = true;
    const query = asQuery(period);
    Promise.all([ask("GET", `/usage?group_by=${unit}${query}`), ask("GET", `/usage?group_by=${group}${query}`)]).then(
      ([time, groups]) => wanted && (setFound({ time, groups, group }), setFault("")),
      ({ message }) => wanted && setFault(message),
    );
    return () => (wanted = false);
  }, [period, group, unit]);
  return (
    <section aria-labelledby="usage-title" className="usage">
      <header className="usage-head">
        <h2 id="usage-title">What was spent</h2>
        <label>In <select aria-label="Period" value={period} onChange={({ target }) => setPeriod(target.value)}>{options(PERIODS)}</select></label>
        <label>by <select aria-label="Grouped by" value={group} onChange={({ target }) => setGroup(target.value)}>{options(GROUPS)}</select></label>
        <a className="quiet" href={`/api/v1/usage/export?group_by=${group}${asQuery(period)}`} download>Download as CSV</a>
      </header>
      {fault ? <p className="usage-fault" role="alert">{fault}</p> : null}
      {found ? <Found {...found} unit={unit} /> : fault ? null : <p className="usage-note" role="status">Adding up…</p>}
    </section>
  );
}

function Found({ time, groups, group, unit }) {
  const { total } = groups;
  if (!total.calls) return <p className="usage-note">Nothing was sent in this time. What each request costs will be added up here.</p>;
  const prompt = allTokens(total) - total.output_tokens;
  const facts = [
    ["Cost", charged(total), total.cost_at_least ? "Part of it is not known: a model without a price, or a request that was cut short" : ""],
    [Number(total.saved) < 0 ? "Caching cost" : "Saved by caching", saving(total), "Against the same requests with nothing cached"],
    ["Requests", number(total.calls), total.cut_short ? `${number(total.cut_short)} were cut short` : ""],
    ["Tokens read", short(prompt), prompt ? `${Math.round((100 * total.cache_read_tokens) / prompt)} % from the cache` : ""],
    ["Tokens written", short(total.output_tokens), total.reasoning_tokens ? `${short(total.reasoning_tokens)} of them reasoning` : ""],
  ];
  return (
    <>
      <dl className="usage-facts">
        {facts.map(([name, value, more]) => (
          <div key={name}><dt>{name}</dt><dd>{value}{more ? <small>{more}</small> : null}</dd></div>
        ))}
      </dl>
      <Chart items={time.items} unit={unit} />
      <div className="usage-table" tabIndex={0} role="region" aria-label="Table of usage">
        <table>
          <caption className="unseen">Usage by {GROUPS[group].toLowerCase()}</caption>
          <thead>
            <tr>{[GROUPS[group], "Cost", "Requests", "Read afresh", "From cache", "To cache", "Written", "Saved"].map((name) => <th key={name} scope="col">{name}</th>)}</tr>
          </thead>
          <tbody>
            {groups.items.map((item) => <Line key={item.group} item={item} name={<Name group={group} item={item} />} />)}
            {groups.more ? <Line item={groups.others} name={`${plural(groups.more, "other")}`} /> : null}
          </tbody>
          <tfoot><Line item={total} name="In all" /></tfoot>
        </table>
      </div>
    </>
  );
}

function Name({ group, item }) {
  if (group === "conversation") {
    return item.title === null ? <span>A conversation that is gone or temporary</span> : <Link to={`/c/${item.group}`}>{item.title || "Untitled"}</Link>;
  }
  if (group === "purpose") return purposeWords(item.group);
  return <span title={item.group}>{item.group || "No agent"}</span>;
}

function Line({ item, name }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td><b>{charged(item)}</b></td>
      <td>{number(item.calls)}</td>
      <td>{short(item.input_tokens)}</td>
      <td>{short(item.cache_read_tokens)}</td>
      <td>{short(item.cache_write_tokens + item.cache_write_1h_tokens)}</td>
      <td>{short(item.output_tokens)}</td>
      <td>{saving(item)}</td>
    </tr>
  );
}

export const options = (table) => Object.entries(table).map(([value, words]) => <option key={value} value={value}>{words}</option>);
