/** Choosing a prompt or a resource of a server, telling it what it wants to know, and what went wrong where. */
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { Dialog } from "./dialog.jsx";
import { fetchOffer, loadServers, matching, promptsOf, resourcesOf } from "./insert_offers.js";

const MOST = 200;

/** `start` is a prompt that was chosen already; `onText` hears of the text. */
export default function InsertDialog({ start, agent, onText, onClose }) {
  const [offer, setOffer] = useState(start?.prompt ?? null);
  return (
    <Dialog label="Insert from a server" className="modal insert-dialog" onClose={onClose}>
      {offer ? (
        <Filling offer={offer} onText={onText} onBack={start ? null : () => setOffer(null)} onClose={onClose} />
      ) : (
        <Choosing agent={agent} onChoose={setOffer} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Choosing({ agent, onChoose, onClose }) {
  const [servers, setServers] = useState(null);
  const [fault, setFault] = useState("");
  const [tries, setTries] = useState(0);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef(null);
  const list = useRef(null);
  const id = useId();
  const every = useMemo(() => (servers ?? []).flatMap((server) => [...promptsOf(server), ...resourcesOf(server)]), [servers]);
  const found = useMemo(() => matching(every, typed), [every, typed]);
  const shown = found.slice(0, MOST);
  useEffect(() => {
    let wanted = true;
    setFault("");
    field.current.focus();
    loadServers(agent).then(
      (all) => wanted && setServers(all),
      ({ message }) => wanted && setFault(message),
    );
    return () => (wanted = false);
  }, [agent, tries]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);
  const pressed = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length) setAt((at + step + shown.length) % shown.length);
    else if (event.key === "Enter" && shown[at]) onChoose(shown[at]);
    else return;
    event.preventDefault();
  };
  const down = (servers ?? []).filter(({ health }) => health !== "ready");
  return (
    <>
      <h2 className="dialog-title">Insert from a server</h2>
      <p className="dialog-words">It comes as text into your message, where you read and change it before you send it.</p>
      <input ref={field} data-first type="text" value={typed} placeholder="Search prompts and resources" aria-label="Search prompts and resources" role="combobox" aria-expanded="true" aria-controls={id} aria-activedescendant={shown[at] && `${id}-${at}`} autoComplete="off" onChange={({ target }) => (setTyped(target.value), setAt(0))} onKeyDown={pressed} />
      <div className="insert-list" id={id} role="listbox" aria-label="Prompts and resources" ref={list}>
        {shown.map((offer, index) => (
          <div key={`${offer.server.id} ${offer.kind} ${offer.key}`} role="presentation">
            {heads(shown, index) ? <p className="picker-group">{offer.server.name} · {offer.kind === "prompt" ? "Prompts" : "Resources"}</p> : null}
            <div id={`${id}-${index}`} role="option" aria-selected={index === at} onPointerMove={() => setAt(index)} onClick={() => onChoose(offer)}>
              <span>{offer.name}</span>
              <small>{offer.kind === "prompt" ? offer.about : offer.key}</small>
            </div>
          </div>
        ))}
      </div>
      <p className="insert-said" role="status">{fault || wordsOn(servers, every, found, down)}</p>
      <div className="dialog-buttons">
        <a className="insert-more" href="/settings#tools">Set up servers…</a>
        <button type="button" className="quiet" onClick={onClose}>Cancel</button>
        {fault ? <button type="button" className="loud" onClick={() => setTries(tries + 1)}>Try again</button> : null}
      </div>
    </>
  );
}

/** Whether a server's prompts or resources begin here. */
const heads = (offers, index) => !index || offers[index].kind !== offers[index - 1].kind || offers[index].server !== offers[index - 1].server;

function wordsOn(servers, every, found, down) {
  if (!servers) return "Looking…";
  if (!servers.length) return "No MCP server is switched on for whoever answers here. Add one in Settings → Tools.";
  const absent = down.map(({ name, problem }) => `“${name}” is not there${problem ? `: ${problem}` : ""}.`).join(" ");
  if (!every.length) return `${servers.map(({ name }) => `“${name}”`).join(", ")} offer${servers.length === 1 ? "s" : ""} no prompts and no resources. ${absent}`;
  if (!found.length) return "None is called that.";
  return found.length > MOST ? `The first ${MOST} of ${found.length}: type more of the name.` : absent;
}

function Filling({ offer, onText, onBack, onClose }) {
  const { server, kind, key, name, about, fields } = offer;
  const [values, setValues] = useState({});
  const [faults, setFaults] = useState({}); // by field, "" is the whole
  const [asking, setAsking] = useState(false);
  const form = useRef(null);
  const live = useRef(true);
  const id = useId();

  const insert = async () => {
    const missing = fields.filter((one) => one.required && !values[one.name]?.trim());
    if (missing.length) return complain(Object.fromEntries(missing.map((one) => [one.name, "Fill it in."])));
    setFaults({});
    setAsking(true);
    try {
      const text = await fetchOffer(offer, values);
      if (live.current) onText(text);
    } catch ({ message, problem }) {
      if (!live.current) return;
      setAsking(false);
      const named = (problem?.errors ?? []).map(({ field, reason }) => [field.replace(/^(arguments|variables)\./, ""), capital(reason)]);
      const told = Object.fromEntries(named.filter(([field]) => fields.some((one) => one.name === field)));
      complain(Object.keys(told).length ? told : { "": message });
    }
  };
  const complain = (said) => {
    setFaults(said);
    const first = fields.findIndex((one) => one.name in said);
    form.current.querySelector(first < 0 ? "[type=submit]" : `[id="${id}-${first}"]`)?.focus();
  };
  useEffect(() => {
    live.current = true;
    form.current.querySelector("textarea, [type=submit]").focus();
    if (!fields.length) insert(); // there is nothing to ask the person
    return () => (live.current = false);
  }, []);
  const pressed = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!asking) insert();
  };
  return (
    <form ref={form} aria-label={name} noValidate onSubmit={(event) => (event.preventDefault(), asking || insert())}>
      <h2 className="dialog-title">{name}</h2>
      <p className="dialog-words">{kind === "prompt" ? "Prompt" : "Resource"} of “{server.name}”. {about}</p>
      {kind === "resource" ? <p className="insert-key">{key}</p> : null}
      {fields.map((one, index) => (
        <div className="agent-field" key={one.name}>
          <label htmlFor={`${id}-${index}`}>{one.name}{one.required ? <span aria-hidden="true"> *</span> : <small> (optional)</small>}</label>
          <textarea id={`${id}-${index}`} rows={1} value={values[one.name] ?? ""} required={one.required} aria-invalid={one.name in faults || undefined} aria-describedby={`${id}-${index}-said`} onKeyDown={pressed} onChange={({ target }) => (setValues({ ...values, [one.name]: target.value }), setFaults({}))} />
          <p id={`${id}-${index}-said`} className={one.name in faults ? "agent-fault" : "agent-hint"}>{faults[one.name] ?? one.description}</p>
        </div>
      ))}
      <p className="agent-fault" role="alert">{faults[""]}</p>
      <p className="insert-said" role="status">{asking ? `Asking “${server.name}”…` : ""}</p>
      <div className="dialog-buttons">
        {onBack ? <button type="button" className="quiet insert-back" onClick={onBack}>Back</button> : null}
        <button type="button" className="quiet" onClick={onClose}>Cancel</button>
        <button type="submit" className="loud" aria-disabled={asking}>{faults[""] ? "Try again" : "Insert"}</button>
      </div>
    </form>
  );
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
