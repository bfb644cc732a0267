/** The sheet: all keys by mode and the filter language, searchable. It lists what handles keys, so it cannot be wrong. */
import { useEffect, useMemo, useRef, useState } from "react";
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { ACTIONS, keyName, keyOf } from "./keys.js";
import { SHEET } from "./filter_sheet.js";

const MODES = [
  ["VIEW", "Reading: the history"],
  ["INPUT", "Writing: the composer"],
  ["COMMAND", "Choosing: the filter bar"],
  ["anywhere", "Anywhere"],
];
const KEYS = MODES.map(([mode, title]) => ({
  title: mode === "anywhere" ? title : `${mode} · ${title}`,
  className: "keys",
  heads: ["key", "action", "does"],
  rows: () => ACTIONS.filter((action) => action.mode === mode).map((action) => [`\`${keyName(keyOf(action)) || "none"}\``, action.name, action.does]),
}));

export default function Sheet({ at }) {
  const [query, setQuery] = useState("");
  const filter = useRef(null);
  const tables = useMemo(() => KEYS.map((table) => ({ ...table, rows: table.rows() })), []);
  useEffect(() => {
    if (at === "filter") filter.current?.scrollIntoView();
  }, [at]);
  const keys = matching(tables, query);
  const language = matching(SHEET, query);
  return (
    <Dialog label="Keys and the filter language" className="modal sheet" onClose={closeDialog}>
      <div className="sheet-head">
        <input type="text" data-first placeholder="Search keys and the filter language" aria-label="Search keys and the filter language" value={query} onChange={({ target }) => setQuery(target.value)} />
        <button type="button" className="quiet" onClick={closeDialog}>Close</button>
      </div>
      <div className="sheet-body" tabIndex={0} role="region" aria-label="Keys and the filter language">
        <p className="unseen" role="status">{query ? `${count(keys) + count(language)} found` : ""}</p>
        {keys.length + language.length ? null : <p className="sheet-none">Nothing here is called that.</p>}
        {keys.map(draw)}
        {language.length ? <h2 ref={filter}>The filter language</h2> : null}
        {language.map(draw)}
        {query ? null : <p className="sheet-note">Keys of single characters can be changed, or taken away, in Settings.</p>}
      </div>
    </Dialog>
  );
}

const draw = ({ title, heads, rows, className }) => (
  <table key={title} className={className}>
    <caption>{title}</caption>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">{head}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.join()}>
          {row.map((cell, at) => (
            <td key={at}>{typed(cell)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** What stands in backquotes is typed as it is. */
const typed = (cell) => cell.split(/(`[^`]+`)/).map((piece, at) => (piece.startsWith("`") ? <kbd key={at}>{piece.slice(1, -1)}</kbd> : piece));

function matching(tables, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return tables;
  const fits = (title) => (row) => words.every((word) => `${title} ${row.join(" ")}`.toLowerCase().includes(word));
  return tables.map((table) => ({ ...table, rows: table.rows.filter(fits(table.title)) })).filter(({ rows }) => rows.length);
}

const count = (tables) => tables.reduce((sum, { rows }) => sum + rows.length, 0);
