/**
 * The card of the checkpoint: the summary that is sent in the place of the pairs before it. Read, edited, removed here.
 */
import { useRef, useState } from "react";
import { ask } from "./api.js";
import { useConversation } from "./history.jsx";
import { tell, tellFault } from "./toasts.js";

export function Checkpoint({ summary }) {
  const conversation = useConversation();
  const [editing, setEditing] = useState(false);
  const text = useRef(null);
  if (!summary) return null;
  const path = `/conversations/${conversation}/checkpoint`;
  const save = (event) => {
    event.preventDefault();
    const wanted = text.current.value;
    ask("PUT", path, { summary: wanted }).then(() => {
      setEditing(false);
      if (wanted !== summary) tell("The summary was changed.", () => ask("PUT", path, { summary }));
    }, tellFault);
  };
  const remove = () =>
    ask("DELETE", path).then((was) => tell("The checkpoint was removed: the pairs before it are sent again.", () => ask("PUT", path, was)), tellFault);
  const pressed = (event) => {
    event.stopPropagation();
    if (event.key === "Escape") setEditing(false);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
  };
  return (
    <details className="card checkpoint" open>
      <summary>Conversation Summary (Checkpoint)</summary>
      {editing ? (
        <form onSubmit={save}>
          <textarea ref={text} defaultValue={summary} rows={8} autoFocus dir="auto" aria-label="Summary" onKeyDown={pressed} />
          <div className="card-actions">
            <button type="button" onClick={() => setEditing(false)}>Cancel</button>
            <button type="submit">Save</button>
          </div>
        </form>
      ) : (
        <>
          <p dir="auto">{summary}</p>
          <div className="card-actions">
            <button type="button" onClick={() => setEditing(true)}>Edit</button>
            <button type="button" onClick={remove}>Remove</button>
          </div>
        </>
      )}
    </details>
  );
}
