/**
 * Settings of the context: how much of a window a send may fill, what it may cost, and what to do when it does not fit.
 *
 * The server decides what is usable; its reasons stand at the fields they are about.
 */
import { useEffect, useRef, useState } from "react";
import { loadPreferences, preferences, savePreferences } from "./preferences.js";

const CEILINGS = [
  ["send", "One send"],
  ["conversation", "A conversation"],
  ["day", "A day"],
];
const CHOICES = [
  ["ask", "Ask each time"],
  ["fit", "Send the newest pairs that fit"],
  ["force", "Send all the same"],
];
const KEPT = [
  ["auto", "As it pays: five minutes, or an hour where a pause would cost more"],
  ["5m", "Five minutes"],
  ["1h", "An hour: dearer to write, outlives a pause"],
  ["off", "Do not ask for it"],
];
const NOT_A_NUMBER = "Write a number, or leave it empty for none.";

export function ContextSettings() {
  const form = useRef(null);
  const [loaded, setLoaded] = useState(null);
  const [faults, setFaults] = useState({});
  const [said, setSaid] = useState("");
  useEffect(() => {
    loadPreferences().then(
      () => setLoaded(preferences()),
      ({ message }) => setSaid(message),
    );
  }, []);

  const save = async (event) => {
    event.preventDefault();
    const [changes, wrong] = read(new FormData(form.current));
    setFaults(wrong);
    setSaid("");
    if (Object.keys(wrong).length) return focusFirst(form.current, wrong);
    try {
      await savePreferences(changes);
      setSaid("Saved. It holds from the next send on.");
    } catch ({ message, problem }) {
      const refused = Object.fromEntries((problem?.errors ?? []).map(({ field, reason }) => [field, sentence(reason)]));
      setFaults(refused);
      if (Object.keys(refused).length) focusFirst(form.current, refused);
      else setSaid(message);
    }
  };
  const field = (name, label, value, more) => (
    <Field key={name} name={name} label={label} value={value} fault={faults[name]} onInput={() => faults[name] && setFaults({ ...faults, [name]: undefined })} {...more} />
  );

  if (!loaded) return <p className="context-said" role="status">{said || "Reading the settings…"}</p>;
  return (
    <form className="context-settings" ref={form} onSubmit={save} noValidate aria-label="Context">
      <div className="context-pair">
        {field("soft_cap", "Use at most this share of a model's window", String(Math.round(loaded.soft_cap * 10_000) / 100), { unit: "%" })}
        {field("reserve", "Keep free for the reply", String(loaded.reserve), { unit: "tokens" })}
      </div>
      <fieldset>
        <legend>Ceilings. Empty: none</legend>
        <div className="ceilings">
          {CEILINGS.map(([of, name]) => (
            <div className="context-row" key={of} role="group" aria-label={name}>
              <span>{name}</span>
              {field(`${of}_tokens`, `${name}, in tokens`, text(loaded[`${of}_tokens`]), { unit: "tokens", quiet: true })}
              {field(`${of}_money`, `${name}, in US dollars`, text(loaded[`${of}_money`]), { unit: "$", quiet: true })}
            </div>
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>When pairs in view do not fit</legend>
        {CHOICES.map(([value, words]) => (
          <label className="context-choice" key={value}>
            <input type="radio" name="over_budget" value={value} defaultChecked={loaded.over_budget === value} /> {words}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>How long Anthropic is asked to keep what was sent</legend>
        {KEPT.map(([value, words]) => (
          <label className="context-choice" key={value}>
            <input type="radio" name="cache" value={value} defaultChecked={loaded.cache === value} /> {words}
          </label>
        ))}
      </fieldset>
      <div className="context-foot">
        <button type="submit">Save</button>
        <p className="context-said" role="status">{said}</p>
      </div>
    </form>
  );
}

function Field({ name, label, value, unit, quiet, fault, onInput }) {
  const id = `context-${name}`;
  return (
    <div className="context-field">
      <label htmlFor={id} className={quiet ? "unseen" : undefined}>{label}</label>
      <div className="context-input" data-wrong={fault ? true : undefined}>
        {unit === "$" ? <span aria-hidden="true">$</span> : null}
        <input id={id} name={name} defaultValue={value} inputMode="decimal" autoComplete="off" aria-invalid={Boolean(fault)} aria-describedby={fault ? `${id}-fault` : undefined} onInput={onInput} />
        {unit === "$" ? null : <span aria-hidden="true">{unit}</span>}
      </div>
      {fault ? <p className="context-fault" id={`${id}-fault`} role="alert">{fault}</p> : null}
    </div>
  );
}

/** The form as preferences, and what is no number by field. */
function read(data) {
  const wrong = {};
  const changes = { over_budget: data.get("over_budget"), cache: data.get("cache") };
  const typed = (name) => data.get(name).replace(/[\s,_]/g, "");
  const share = Number(typed("soft_cap").replace("%", ""));
  if (!typed("soft_cap") || Number.isNaN(share)) wrong.soft_cap = "Write a share of the window in percent, such as 94.";
  else changes.soft_cap = Number((share / 100).toFixed(6));
  if (/^\d+$/.test(typed("reserve"))) changes.reserve = Number(typed("reserve"));
  else wrong.reserve = "Write a number of tokens, such as 800.";
  for (const [of] of CEILINGS) {
    const [tokens, money] = [typed(`${of}_tokens`), typed(`${of}_money`).replace("$", "")];
    if (/^\d*$/.test(tokens)) changes[`${of}_tokens`] = tokens ? Number(tokens) : null;
    else wrong[`${of}_tokens`] = NOT_A_NUMBER;
    if (/^(\d+(\.\d+)?)?$/.test(money)) changes[`${of}_money`] = money || null;
    else wrong[`${of}_money`] = NOT_A_NUMBER;
  }
  return [changes, wrong];
}

const focusFirst = (form, faults) => [...form.elements].find(({ name }) => faults[name])?.focus();
const text = (value) => (value === null || value === undefined ? "" : String(value));
const sentence = (reason) => reason.charAt(0).toUpperCase() + reason.slice(1);
