/** One topic: its name, where it stands in the tree, and its end, once it is empty. */
import { useState } from "react";
import { changeTopic, deleteTopic } from "./topics.js";

export function TopicForm({ topic, topics, byHand, onBack, onChanged }) {
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const below = topics.filter(({ parent_id }) => parent_id === topic.id).length;
  const siblings = topics.filter(({ parent_id }) => parent_id === topic.parent_id);
  const place = siblings.findIndex(({ id }) => id === topic.id);
  // One change at a time: where a topic is moved to is said by its neighbours as they stand when it is clicked.
  const attempt = async (doing) => {
    if (busy) return;
    setBusy(true);
    setFault("");
    try {
      await doing();
      await onChanged();
    } catch (problem) {
      setFault(problem.message);
    } finally {
      setBusy(false);
    }
  };
  const save = (event) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const name = fields.get("name").trim();
    const parent = fields.get("parent") || null;
    const changes = { ...(name !== topic.name && { name }), ...(parent !== topic.parent_id && { parent_id: parent }) };
    if (!Object.keys(changes).length) return onBack();
    return attempt(() => changeTopic(topic.id, changes));
  };
  // To stand before the sibling above, or before the one after the next.
  const shift = (by) => attempt(() => changeTopic(topic.id, { before: (by < 0 ? siblings[place - 1] : siblings[place + 2])?.id ?? null }));
  const why = topic.count ? "Pairs are filed under it" : below ? "There are topics below it" : "";
  return (
    <form className="topic-form" onSubmit={save} key={`${topic.path}${place}`}>
      <h2 dir="auto">{topic.path}</h2>
      <label>
        Name
        <input name="name" data-first autoFocus defaultValue={topic.name} autoComplete="off" maxLength={200} required />
      </label>
      <label>
        Under
        <select name="parent" defaultValue={topic.parent_id ?? ""}>
          <option value="">Nothing, at the top</option>
          {topics
            .filter(({ path }) => !`${path} > `.startsWith(`${topic.path} > `))
            .map(({ id, path }) => (
              <option key={id} value={id}>{path}</option>
            ))}
        </select>
      </label>
      <p className="topic-fault" role="alert" hidden={!fault}>{fault}</p>
      <div className="dialog-buttons">
        {byHand ? (
          <>
            <button type="button" className="quiet" disabled={place <= 0} aria-disabled={busy} onClick={() => shift(-1)} aria-label="Move up" title="Move up">↑</button>
            <button type="button" className="quiet" disabled={place >= siblings.length - 1} aria-disabled={busy} onClick={() => shift(1)} aria-label="Move down" title="Move down">↓</button>
          </>
        ) : null}
        <button type="button" className="danger-quiet" disabled={Boolean(why)} title={why} onClick={() => attempt(() => deleteTopic(topic.id))}>{why ? "Not empty" : "Delete"}</button>
        <span className="gap" />
        <button type="button" className="quiet" onClick={onBack}>Back</button>
        <button type="submit" className="loud">Save</button>
      </div>
    </form>
  );
}
