/** Compare the ledger with a provider's own export of usage (CSV): what matches, what differs, what is missing where. */
import { useRef, useState } from "react";
import { number, plural } from "./figures.js";

const WORDS = {
  matches: "Matches",
  differs: "Differs",
  only_here: "Only here",
  only_there: "Only at the provider",
};
const KINDS = [
  ["input_tokens", "Read afresh"],
  ["cache_read_tokens", "From cache"],
  ["cache_write_tokens", "To cache"],
  ["output_tokens", "Written"],
];

export default function Reconcile() {
  const [found, setFound] = useState(null);
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const file = useRef(null);
  const compare = async () => {
    const [chosen] = file.current.files;
    if (!chosen) return;
    setBusy(true);
    setFault("");
    setFound(null);
    try {
      const response = await fetch("/api/v1/usage/reconcile", { method: "POST", headers: { "Content-Type": "text/csv", Accept: "application/json" }, body: await chosen.text() });
      const said = await response.json();
      if (response.ok) setFound(said);
      else setFault(said.detail ?? said.title);
    } catch {
      setFault("Inview cannot be reached. Try again in a moment.");
    }
    setBusy(false);
    file.current.value = "";
  };
  return (
    <section aria-labelledby="reconcile-title" className="usage">
      <h2 id="reconcile-title">Compare with a provider's bill</h2>
      <p className="usage-note">Choose the file of usage that Anthropic's or OpenAI's console exports (CSV). It is compared day by day and model by model, and not kept.</p>
      <label className="usage-file">
        <span className="quiet">{busy ? "Comparing…" : "Choose a file…"}</span>
        <input ref={file} type="file" accept=".csv,text/csv" aria-label="The provider's export of usage" onChange={compare} className="unseen" />
      </label>
      {fault ? <p className="usage-fault" role="alert">{fault}</p> : null}
      {found ? <Compared found={found} /> : <p role="status" className="unseen" />}
    </section>
  );
}

function Compared({ found }) {
  const { lines, matching, first, last } = found;
  const off = lines.filter(({ verdict }) => verdict !== "matches");
  return (
    <>
      <p className="usage-note" role="status">
        {first} to {last}: {number(matching)} of {plural(lines.length, "line")} match{off.length ? "" : ". Nothing is missing on either side"}.
      </p>
      {off.length ? (
        <div className="usage-table" tabIndex={0} role="region" aria-label="What does not match">
          <table>
            <caption className="unseen">What does not match: here / at the provider</caption>
            <thead><tr>{["Day", "Model", "", ...KINDS.map(([, words]) => words)].map((words) => <th key={words} scope="col" className={words === "Model" ? "of" : undefined}>{words || <span className="unseen">Verdict</span>}</th>)}</tr></thead>
            <tbody>
              {off.map(({ day, model, verdict, here, there }) => (
                <tr key={day + model}>
                  <th scope="row">{day}</th>
                  <td className="of">{model}</td>
                  <td className="verdict"><b>{WORDS[verdict]}</b></td>
                  {KINDS.map(([kind]) => <td key={kind}>{number(here[kind])} / {number(there[kind])}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </>
  );
}
