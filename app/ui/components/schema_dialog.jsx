/** Giving the JSON schema that a reply is to fit: written, or begun from a sample. It is checked before it is used. */
import { useRef, useState } from "react";
import { ask } from "./api.js";
import { Dialog } from "./dialog.jsx";

const person = { type: "object", properties: { name: { type: "string" }, role: { type: "string" } }, required: ["name", "role"], additionalProperties: false };
const SAMPLES = [
  ["List", { type: "object", properties: { items: { type: "array", items: { type: "string" } } }, required: ["items"], additionalProperties: false }],
  ["Table", { type: "object", properties: { rows: { type: "array", items: person } }, required: ["rows"], additionalProperties: false }],
  ["Verdict", { type: "object", properties: { verdict: { enum: ["yes", "no", "unclear"] }, reason: { type: "string" } }, required: ["verdict", "reason"], additionalProperties: false }],
];
const laidOut = (value) => JSON.stringify(value, null, 2);

export default function SchemaDialog({ schema, onUse, onCancel }) {
  const [text, setText] = useState(schema && laidOut(JSON.parse(schema)));
  const [said, setSaid] = useState("");
  const area = useRef(null);
  const use = async () => {
    let value;
    try {
      value = JSON.parse(text);
    } catch (fault) {
      return complain(`This is no JSON: ${fault.message}`);
    }
    try {
      await ask("POST", "/schemas/check", { schema: value });
    } catch ({ message, problem }) {
      const [first] = problem?.errors ?? [];
      return complain(first ? `${first.field}: ${first.reason}` : message);
    }
    onUse(JSON.stringify(value));
  };
  const complain = (words) => {
    setSaid(words);
    area.current.focus();
  };
  const pressed = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    use();
  };
  return (
    <Dialog label="JSON schema of the reply" className="modal schema-dialog" onClose={onCancel}>
      <h2 className="dialog-title">JSON schema of the reply</h2>
      <p className="dialog-words">The next reply is asked to be JSON that fits it. It is part of the request, and goes with this draft.</p>
      <div className="schema-samples" role="group" aria-label="Begin with a sample">
        {SAMPLES.map(([name, sample]) => (
          <button key={name} type="button" onClick={() => (setText(laidOut(sample)), setSaid(""), area.current.focus())}>{name}</button>
        ))}
      </div>
      <textarea ref={area} data-first aria-label="Schema" aria-invalid={Boolean(said)} aria-describedby="schema-said" spellCheck={false} rows={12} placeholder={'{"type": "object", …}'} value={text} onKeyDown={pressed} onChange={({ target }) => (setText(target.value), setSaid(""))} />
      <p id="schema-said" className="schema-said" role="alert">{said}</p>
      <div className="dialog-buttons">
        {schema ? <button type="button" className="quiet schema-off" onClick={() => onUse("")}>Take it off</button> : null}
        <button type="button" className="quiet" onClick={onCancel}>Cancel</button>
        <button type="button" className="loud" disabled={!text.trim()} onClick={use}>Use</button>
      </div>
    </Dialog>
  );
}
