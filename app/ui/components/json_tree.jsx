/** A JSON value to be read: lists of objects as tables, objects as names and values, faults where they are. */
import { useMemo } from "react";

const MOST = 200; // of a list or an object, at once
const DEEPEST = 8;
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const keyOf = (path) => JSON.stringify(path);

export default function JsonTree({ value, errors }) {
  const faults = useMemo(() => {
    const found = new Map();
    for (const { path, message } of errors) found.set(keyOf(path), [...(found.get(keyOf(path)) ?? []), message]);
    return found;
  }, [errors]);
  return (
    <div className="json-tree" role="group" aria-label="The value" tabIndex={0}>
      <Value value={value} path={[]} faults={faults} />
    </div>
  );
}

function Value({ value, path, faults }) {
  const here = faults.get(keyOf(path));
  return (
    <>
      <Plain value={value} path={path} faults={faults} />
      {here && path.length ? here.map((words) => <small key={words} className="json-fault">{words}</small>) : null}
    </>
  );
}

function Plain({ value, path, faults }) {
  if (path.length > DEEPEST) return <code>{JSON.stringify(value)}</code>;
  if (Array.isArray(value)) {
    if (!value.length) return <span className="json-empty">nothing in it</span>;
    if (value.every(isObject)) return <Rows rows={value} path={path} faults={faults} />;
    return (
      <ol>
        {value.slice(0, MOST).map((item, at) => (
          <li key={at}><Value value={item} path={[...path, at]} faults={faults} /></li>
        ))}
        <More count={value.length - MOST} />
      </ol>
    );
  }
  if (isObject(value)) {
    const fields = Object.entries(value);
    if (!fields.length) return <span className="json-empty">nothing in it</span>;
    return (
      <dl>
        {fields.slice(0, MOST).map(([name, inner]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd><Value value={inner} path={[...path, name]} faults={faults} /></dd>
          </div>
        ))}
        <More count={fields.length - MOST} />
      </dl>
    );
  }
  if (typeof value === "string") return <span dir="auto">{value}</span>;
  return <span className="json-scalar">{String(value)}</span>;
}

function Rows({ rows, path, faults }) {
  const shown = rows.slice(0, MOST);
  const names = [...new Set(shown.flatMap(Object.keys))];
  return (
    <table>
      <thead>
        <tr>{names.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
      </thead>
      <tbody>
        {shown.map((row, at) => (
          <tr key={at}>
            {names.map((name, column) => (
              <td key={name}>
                {Object.hasOwn(row, name) ? <Value value={row[name]} path={[...path, at, name]} faults={faults} /> : null}
                {column ? null : faults.get(keyOf([...path, at]))?.map((words) => <small key={words} className="json-fault">{words}</small>)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {rows.length > MOST ? <tfoot><tr><td colSpan={names.length}>and {(rows.length - MOST).toLocaleString()} more: see the source</td></tr></tfoot> : null}
    </table>
  );
}

const More = ({ count }) => (count > 0 ? <div className="json-empty">and {count.toLocaleString()} more: see the source</div> : null);
