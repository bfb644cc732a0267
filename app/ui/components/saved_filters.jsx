/**
 * Saved filters: the list of `@names`, and the form that saves the present one. Fetched when it is first opened.
 *
 * What uses a name follows when it is renamed, and keeps it from being deleted: the server sees to that.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "./api.js";

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u;

export default function SavedFilters({ filter, onUse, onLeave }) {
  const place = useRef(null);
  const [saved, setSaved] = useState(null);
  const [fault, setFault] = useState("");
  const [renaming, setRenaming] = useState("");

  const load = useCallback(() => ask("GET", "/filters").then((answer) => setSaved(answer.saved)), []);
  /** Do something with the saved filters; what goes wrong is said, and the list is as the server has it. */
  const change = async (method, name, body) => {
    setFault("");
    try {
      await ask(method, `/filters/${encodeURIComponent(name)}`, body);
      setRenaming("");
      await load();
      return true;
    } catch ({ message }) {
      setFault(message);
      return false;
    }
  };
  const free = (name) => {
    const why = !NAME.test(name) ? "A name has letters, digits, - and _ only." : saved.some((other) => other.name === name) ? `@${name} is there already. Rename or delete it first.` : "";
    setFault(why);
    return !why;
  };

  useEffect(() => {
    load().catch(({ message }) => setFault(message));
    place.current.querySelector("input:not(:disabled)")?.focus() ?? place.current.focus();
  }, [load]);

  const save = async (event) => {
    event.preventDefault();
    const { elements } = event.currentTarget;
    const name = elements.name.value.trim().replace(/^@/, "");
    if (saved && free(name) && (await change("PUT", name, { filter }))) elements.name.value = "";
  };
  const rename = (event, old) => {
    event.preventDefault();
    const name = event.currentTarget.elements.name.value.trim().replace(/^@/, "");
    if (name === old.name) return setRenaming("");
    if (free(name)) change("PATCH", old.name, { name });
  };

  return (
    <div
      className="filter-panel saved-filters"
      role="group"
      aria-label="Saved filters"
      ref={place}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        if (renaming) setRenaming("");
        else onLeave();
      }}
    >
      <form onSubmit={save}>
        <label htmlFor="filter-name">{filter ? <>Save <code>{filter}</code> as</> : "Apply a filter to save it"}</label>
        <div>
          <span aria-hidden="true">@</span>
          <input id="filter-name" name="name" required maxLength={60} disabled={!filter} autoComplete="off" spellCheck={false} placeholder="important" />
          <button type="submit" disabled={!filter}>Save</button>
        </div>
      </form>
      <p className="filter-wrong" role="alert" hidden={!fault}>{fault}</p>
      {saved && !saved.length ? <p className="filter-none">None yet. A saved filter is used as <code>@name</code>, alone or within another.</p> : null}
      <ul>
        {saved?.map((one) => (
          <li key={one.name}>
            {renaming === one.name ? (
              <form onSubmit={(event) => rename(event, one)}>
                <span aria-hidden="true">@</span>
                <input name="name" defaultValue={one.name} required maxLength={60} autoFocus aria-label={`New name of @${one.name}`} autoComplete="off" spellCheck={false} />
                <button type="submit">Rename</button>
              </form>
            ) : (
              <>
                <button type="button" className="saved-name" onClick={() => onUse(one.name)} title="Apply it">
                  <span>@{one.name}</span>
                  <code>{one.filter}</code>
                </button>
                <button type="button" className="filter-button" aria-label={`Rename @${one.name}`} title="Rename" onClick={() => setRenaming(one.name)}>
                  <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m3.5 12.5.6-2.6 6.6-6.6 2 2-6.6 6.6z" /></svg>
                </button>
                <button type="button" className="filter-button" aria-label={`Delete @${one.name}`} title="Delete" onClick={() => change("DELETE", one.name)}>
                  <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3.5 4.5h9M6.5 4.3V3h3v1.3m-4.8.2.5 8.5h5.6l.5-8.5" /></svg>
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
