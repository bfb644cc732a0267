/**
 * Calls that wait for a person: what is to be called with which arguments, and the answers one can give.
 *
 * Fetched when a call waits for the first time. What waits is the server's and came over the live socket, so it stands
 * here again after a reload. It is announced (an alert) and never takes the focus from somebody who types.
 */
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { ask } from "./api.js";
import { useLive } from "./history.jsx";
import { enterInput } from "./modes.js";
import { tellFault } from "./toasts.js";

const ANSWERS = [
  ["allow", "Allow once"],
  ["allow_conversation", "In this conversation"],
  ["always_allow", "Always"],
  ["deny", "Deny"],
];

export default function Permissions({ requests }) {
  return (
    <section className="permissions" aria-label="Calls that wait for your permission">
      {requests.map((request, at) => (
        <Request key={request.id} request={request} place={requests.length > 1 ? `${at + 1} of ${requests.length}` : ""} />
      ))}
    </section>
  );
}

function Request({ request, place }) {
  const { id, server, tool_name: tool, title, description, input } = request;
  const [text, setText] = useState(null); // the arguments while they are edited
  const [bounds, setBounds] = useState(null); // patterns by name while a rule is to have some
  const [faults, setFaults] = useState([]);
  const [busy, setBusy] = useState(false);
  const card = useRef(null);
  const compared = useLive().comparison?.runs.find(({ run_id: run }) => run === request.run_id)?.model;
  const delegated = compared || request.conversation_id === request.shown_in ? "" : request.conversation_id;
  const called = title && title !== tool ? `${title} (${tool})` : tool;

  const answer = async (word) => {
    const edited = word === "deny" || text === null ? null : readInput(text, setFaults);
    if (edited === undefined || busy) return;
    setBusy(true);
    setFaults([]);
    const leave = leaveFrom(card.current);
    const makesRule = word === "allow_conversation" || word === "always_allow";
    try {
      await ask("POST", `/permissions/${id}`, { answer: word, ...(edited && { arguments: edited }), ...(makesRule && bounds && { only_if: bounds }) });
      leave();
    } catch (problem) {
      const errors = problem.problem?.errors;
      if (errors) setFaults(errors.map(({ field, reason }) => `${field.replace(/^arguments\.?/, "") || "arguments"}: ${reason}`));
      else tellFault(problem);
      setBusy(false);
    }
  };
  const pressed = (event) => {
    if (event.key !== "Escape" || text === null) return;
    event.preventDefault();
    event.stopPropagation();
    setText(null);
    setFaults([]);
  };
  const names = Object.keys(input);
  return (
    <div ref={card} role="group" className="permission" aria-labelledby={`ask-${id}`} onKeyDown={pressed}>
      <header>
        <p id={`ask-${id}`} role="alert">
          <strong>{server}: {called}</strong> <span>wants to be called{compared ? ` by ${compared}` : ""}{delegated ? <> by <Link to={`/c/${delegated}`}>delegated work</Link></> : ""}. {place}</span>
        </p>
        <Countdown until={request.until} />
      </header>
      {description ? <details><summary>What its server says of it</summary><p dir="auto">{description}</p></details> : null}
      {text === null ? (
        names.length ? <pre tabIndex={0} aria-label="Arguments" dir="auto">{shown(input)}</pre> : <p className="permission-none">Without arguments.</p>
      ) : (
        <textarea autoFocus aria-label="Arguments, as JSON" aria-invalid={faults.length > 0} aria-describedby={faults.length ? `faults-${id}` : undefined} spellCheck={false} rows={Math.min(14, text.split("\n").length + 1)} value={text} onChange={({ target }) => setText(target.value)} />
      )}
      {faults.length ? <ul id={`faults-${id}`} className="permission-faults" role="alert">{faults.map((fault) => <li key={fault}>{fault}</li>)}</ul> : null}
      {bounds ? (
        <fieldset>
          <legend>A rule only for arguments like these. <code>*</code> stands for anything, <code>[*]</code> for a star.</legend>
          {Object.entries(bounds).map(([name, pattern]) => (
            <label key={name}>{name} <input value={pattern} spellCheck={false} onChange={({ target }) => setBounds({ ...bounds, [name]: target.value })} /></label>
          ))}
        </fieldset>
      ) : null}
      <div className="permission-answers">
        {ANSWERS.map(([word, words]) => (
          <button key={word} type="button" data-answer={word} disabled={busy} className={word === "allow" ? "loud" : "quiet"} aria-describedby={`ask-${id}`} onClick={() => answer(word)}>{words}</button>
        ))}
        <span>
          <button type="button" className="plain" aria-pressed={text !== null} onClick={() => (setText(text === null ? JSON.stringify(input, null, 2) : null), setFaults([]))}>{text === null ? "Edit" : "Leave as it was"}</button>
          {names.length ? <button type="button" className="plain" aria-pressed={bounds !== null} onClick={() => (setBounds(bounds ? null : patternsOf(input)), setFaults([]))}>{bounds ? "For any arguments" : "Only like this"}</button> : null}
        </span>
      </div>
    </div>
  );
}

/** How long an answer is waited for. Not read aloud: a clock that speaks every second drowns out everything else. */
function Countdown({ until }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.round((until - performance.now()) / 1000));
  return <time aria-hidden="true" title="Then it is refused" data-late={left < 30 || undefined}>{`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`}</time>;
}

/** The arguments one a line, texts as they are. */
const shown = (input) => Object.entries(input).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`).join("\n");

/** Patterns that cover these arguments and no others. */
const patternsOf = (input) => Object.fromEntries(Object.entries(input).map(([name, value]) => [name, typeof value === "string" ? value.replaceAll("*", "[*]") : typeof value === "object" && value !== null ? "*" : JSON.stringify(value)]));

/** What was typed, or undefined if it is no JSON object: then that is pointed out. */
function readInput(text, setFaults) {
  try {
    const read = JSON.parse(text);
    if (read && typeof read === "object" && !Array.isArray(read)) return read;
    setFaults(["Arguments are a JSON object: names and their values between { and }."]);
  } catch ({ message }) {
    setFaults([`This is no JSON: ${message}`]);
  }
  return undefined;
}

/** How keys go on once a call is answered: at the next one, else in the dialog it stands in, else in the message box. */
function leaveFrom(card) {
  const had = card.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
  const place = card.parentElement;
  const dialog = card.closest("dialog");
  return () => {
    const left = document.activeElement; // the page itself, where the answered call is gone already
    if (!had || !(card.contains(left) || left === document.body || left === dialog)) return;
    const other = place.isConnected && [...place.children].find((one) => one !== card);
    ((other && other.querySelector("[data-answer]")) || dialog?.querySelector("[data-first]") || { focus: enterInput }).focus();
  };
}
