/**
 * The form of one agent. What the server refuses is said at the field; nothing typed is lost by that.
 *
 * `agent` without an id is one to be.
 */
import { useEffect, useId, useRef, useState } from "react";
import { AgentTools } from "./agent_tools.jsx";
import { ask } from "./api.js";

const NUMBERS = [
  { name: "temperature", label: "Temperature", min: 0, max: 2, step: "any", hint: "0–2. Only where the model takes it." },
  { name: "top_p", label: "Top p", min: 0, max: 1, step: "any", hint: "0–1." },
  { name: "max_output_tokens", label: "Most output tokens", min: 1, step: 1, hint: "Of one reply." },
  { name: "seed", label: "Seed", min: 0, step: 1, hint: "Only where the provider takes it." },
];

export default function AgentForm({ agent, onSaved, onClose }) {
  const [fields, setFields] = useState(() => ({ ...EMPTY, ...agent, parameters: { ...agent.parameters } }));
  const [errors, setErrors] = useState({});
  const [saving, setSaving] = useState(false);
  const models = useModels();
  const first = useRef(null);
  const list = useId();
  useEffect(() => first.current.focus(), []);
  useEffect(() => first.current.form.querySelector("[aria-invalid]")?.focus(), [errors]);

  const set = (name, value) => setFields((now) => ({ ...now, [name]: value }));
  const setParameter = (name, value) => set("parameters", { ...fields.parameters, [name]: value });
  const submit = async (event) => {
    event.preventDefault();
    setSaving(true);
    try {
      const body = written(fields);
      const made = agent.id ? await ask("PATCH", `/agents/${agent.id}`, body) : await ask("POST", "/agents", body);
      await onSaved(agent.id ? `Saved the agent “${made.name}”` : `Made the agent “${made.name}”`);
    } catch (problem) {
      setErrors(faults(problem));
      setSaving(false);
    }
  };
  const shown = { errors };

  return (
    <form className="agent-form" onSubmit={submit} onKeyDown={({ key }) => key === "Escape" && onClose()} aria-label={agent.id ? `Agent ${agent.name}` : "New agent"} noValidate>
      <h2>{agent.id ? "Edit the agent" : "New agent"}</h2>
      <div className="agent-names">
        <Field {...shown} name="name" label="Name" hint="How menus, filters and other agents call it.">
          {(props) => <input {...props} ref={first} type="text" maxLength={60} value={fields.name} onChange={({ target }) => set("name", target.value)} autoComplete="off" />}
        </Field>
        <Field {...shown} name="icon" label="Icon" hint="An emoji, if you like.">
          {(props) => <input {...props} type="text" maxLength={8} value={fields.icon} onChange={({ target }) => set("icon", target.value)} autoComplete="off" />}
        </Field>
      </div>
      <Field {...shown} name="description" label="What it is good at" hint="One line. Other agents are told, to hand work over.">
        {(props) => <input {...props} type="text" maxLength={500} value={fields.description} onChange={({ target }) => set("description", target.value)} autoComplete="off" />}
      </Field>
      <Field {...shown} name="system_prompt" label="System prompt" hint="Shown and sent as the first card, before the conversation's own system prompt.">
        {(props) => <textarea {...props} rows={8} dir="auto" value={fields.system_prompt} onChange={({ target }) => set("system_prompt", target.value)} />}
      </Field>
      <Field {...shown} name="model" label="Model" hint="As provider:model. Empty: that of the conversation.">
        {(props) => (
          <>
            <input {...props} type="text" list={list} value={fields.model ?? ""} onChange={({ target }) => set("model", target.value)} autoComplete="off" spellCheck={false} />
            <datalist id={list}>{models.map(({ model, name }) => <option key={model} value={model}>{name}</option>)}</datalist>
          </>
        )}
      </Field>
      <fieldset>
        <legend>Parameters</legend>
        <p className="agent-hint">What is left empty is left to the provider. What a model does not take is left out, and the filter bar says so.</p>
        <div className="agent-parameters">
          {NUMBERS.map(({ name, label, hint, ...limits }) => (
            <Field {...shown} key={name} name={`parameters.${name}`} label={label} hint={hint}>
              {(props) => <input {...props} {...limits} type="number" inputMode="decimal" value={fields.parameters[name] ?? ""} onChange={({ target }) => setParameter(name, target.value)} />}
            </Field>
          ))}
          <Field {...shown} name="parameters.effort" label="Effort" hint="Of models that think.">
            {(props) => <Choice {...props} value={fields.parameters.effort ?? ""} options={{ "": "The model's own", low: "Low", medium: "Medium", high: "High" }} onChange={(value) => setParameter("effort", value)} />}
          </Field>
          <Field {...shown} name="parameters.thinking" label="Thinking" hint="Where it can be switched.">
            {(props) => <Choice {...props} value={String(fields.parameters.thinking ?? "")} options={{ "": "The model's own", true: "On", false: "Off" }} onChange={(value) => setParameter("thinking", value === "" ? null : value === "true")} />}
          </Field>
        </div>
      </fieldset>
      <AgentTools servers={fields.server_ids} allowed={fields.allowed_tools} onServers={(ids) => set("server_ids", ids)} onAllowed={(entries) => set("allowed_tools", entries)} errors={errors} />
      {agent.id ? <AgentSpent id={agent.id} /> : null}
      <p className="agent-fault" role="alert">{errors[""] ?? (Object.keys(errors).length ? "Nothing was saved: see what is said at the fields." : "")}</p>
      <div className="dialog-buttons">
        <button type="button" className="quiet" onClick={onClose}>Cancel</button>
        <button type="submit" className="loud" disabled={saving}>{agent.id ? "Save" : "Make the agent"}</button>
      </div>
    </form>
  );
}

const EMPTY = { name: "", icon: "", description: "", system_prompt: "", model: "", parameters: {}, server_ids: null, allowed_tools: null };

/** A label, a control, what is said of it: a hint, or why the server refused it. */
export function Field({ name, label, hint, errors, children }) {
  const id = useId();
  const fault = errors[name];
  return (
    <div className="agent-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-said`, "aria-invalid": Boolean(fault) || undefined })}
      <p id={`${id}-said`} className={fault ? "agent-fault" : "agent-hint"}>{fault ?? hint}</p>
    </div>
  );
}

function Choice({ options, onChange, ...props }) {
  return (
    <select {...props} onChange={({ target }) => onChange(target.value)}>
      {Object.entries(options).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
    </select>
  );
}

/** What it spent, against the budgets it has. */
function AgentSpent({ id }) {
  const [lines, setLines] = useState([]);
  useEffect(() => {
    ask("GET", "/budgets").then(
      ({ items }) => setLines(items.filter(({ scope, subject }) => scope === "agent" && (!subject || subject === id))),
      () => setLines([]),
    );
  }, [id]);
  return (
    <p className="agent-hint">
      {lines.length ? lines.map(({ span, amount, stops, standing }) => `Budget for ${SPANS[span]}: $${amount}, ${standing === "spent" ? "spent" : standing === "warning" ? "nearly spent" : "not spent"}${stops ? "" : " (only warns)"}.`).join(" ") : "It has no budget."} <a href="/usage">Budgets</a> are set under Usage, with this agent&apos;s id: <code>{id}</code>
    </p>
  );
}

const SPANS = { day: "a day", month: "a month", ever: "all time" };

function useModels() {
  const [models, setModels] = useState([]);
  useEffect(() => {
    let wanted = true;
    ask("GET", "/models").then(
      ({ items }) => wanted && setModels(items),
      () => {}, // the field takes any name all the same
    );
    return () => (wanted = false);
  }, []);
  return models;
}

/** The body of the request; what is no number goes as it is, for the server to say so. */
function written({ name, icon, description, system_prompt, model, parameters, server_ids, allowed_tools }) {
  const asked = Object.entries(parameters).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const numbers = new Set(NUMBERS.map((one) => one.name));
  return {
    name: name.trim(),
    icon: icon.trim(),
    description: description.trim(),
    system_prompt,
    model: model?.trim() || null,
    parameters: Object.fromEntries(asked.map(([key, value]) => [key, numbers.has(key) ? Number(value) : value])),
    server_ids,
    allowed_tools: allowed_tools?.filter(({ server_id, tool }) => server_id || tool) ?? null,
  };
}

function faults({ problem, message }) {
  const errors = Object.fromEntries((problem?.errors ?? []).map(({ field, reason }) => [field, `${reason[0].toUpperCase()}${reason.slice(1)}`]));
  if (problem?.type?.endsWith(":conflict")) return { name: message };
  return Object.keys(errors).length ? errors : { "": message };
}
