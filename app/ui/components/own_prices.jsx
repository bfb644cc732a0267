/** Prices of one's own: what this installation knows better than the public table, from a day on. */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";

const KINDS = [
  ["input", "Input"],
  ["output", "Output"],
  ["cache_read", "Cache read"],
  ["cache_write", "Cache write"],
  ["cache_write_1h", "Cache write, 1 h"],
];
const placeOf = (since, model) => `/prices/${since}?model=${encodeURIComponent(model)}`;

export default function OwnPrices() {
  const [items, setItems] = useState(null);
  const [fault, setFault] = useState("");
  const [said, setSaid] = useState("");
  const form = useRef(null);
  const change = async (method, path, body, words) => {
    setSaid("");
    try {
      const answer = await ask(method, path, body);
      setItems((answer ?? (await ask("GET", "/prices"))).items);
      setFault("");
      setSaid(words);
    } catch ({ message }) {
      setFault(message);
    }
  };
  useEffect(() => {
    change("GET", "/prices", undefined, "");
  }, []);
  const save = (event) => {
    event.preventDefault();
    const { model, since, ...rest } = Object.fromEntries(new FormData(form.current));
    const prices = Object.fromEntries(Object.entries(rest).filter(([, text]) => text.trim()).map(([kind, text]) => [kind, text.trim().replace(/^\$\s*/, "")]));
    change("PUT", placeOf(since, model.trim()), prices, "Saved. Costs from that day on are worked out with it.");
  };
  return (
    <section aria-labelledby="prices-title" className="usage">
      <h2 id="prices-title">Prices of your own</h2>
      <p className="usage-note">Prices come from a public table. Where you know better (a contract, a server of your own), say so: US dollars per million tokens, from a UTC day on.</p>
      {items?.length ? (
        <div className="usage-table" tabIndex={0} role="region" aria-label="Table of prices of your own">
          <table>
            <caption className="unseen">Prices of your own</caption>
            <thead><tr>{["Model", "From", ...KINDS.map(([, words]) => words), ""].map((words) => <th key={words} scope="col">{words || <span className="unseen">Remove</span>}</th>)}</tr></thead>
            <tbody>
              {items.map(({ model, since, prices }) => (
                <tr key={model + since}>
                  <th scope="row">{model}</th>
                  <td>{since}</td>
                  {KINDS.map(([kind]) => <td key={kind}>{prices?.[kind] ?? "–"}</td>)}
                  <td><button type="button" className="quiet" aria-label={`Remove the price of ${model} from ${since}`} onClick={() => change("DELETE", placeOf(since, model), undefined, "Removed.")}>Remove</button></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      <form ref={form} className="usage-form" aria-label="Set a price" onSubmit={save}>
        <label>Model <input name="model" aria-label="Model" required size={24} placeholder="provider:model" /></label>
        <label>from <input name="since" aria-label="From this UTC day on" type="date" required defaultValue={new Date().toISOString().slice(0, 10)} /></label>
        {KINDS.map(([kind, words], nth) => (
          <label key={kind}>{words} <input name={kind} aria-label={`${words}, US dollars per million tokens`} inputMode="decimal" size={5} required={nth < 2} /></label>
        ))}
        <button type="submit" className="quiet">Set the price</button>
      </form>
      {fault ? <p className="usage-fault" role="alert">{fault}</p> : null}
      <p className="usage-note" role="status">{said}</p>
    </section>
  );
}
