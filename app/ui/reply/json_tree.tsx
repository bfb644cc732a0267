/** A JSON value to be read: lists of objects as tables, objects as names and values, faults where they are. */
import { type ReactNode, useMemo } from "react";
import type { FaultPlaceView, JsonTreeProps } from "./views.ts";

const MAX_ITEMS = 200; // of a list or an object, at once
const MAX_DEPTH = 8;

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
type JsonObject = { readonly [name: string]: Json };
type Step = string | number;
type Draw = {
  readonly messagesAt: (path: readonly Step[]) => readonly string[];
  readonly empty: string;
  readonly more: string;
};
type Place = { readonly path: readonly Step[]; readonly draw: Draw };

export function JsonTree({ value, faults, label, empty, more }: JsonTreeProps): ReactNode {
  const parsed = useMemo(() => JSON.parse(value) as Json, [value]);
  const draw = useMemo(() => ({ messagesAt: findMessages(faults), empty, more }), [faults, empty, more]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, by keys too
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="json-tree" role="group" aria-label={label} tabIndex={0}>
      <Value value={parsed} path={[]} draw={draw} />
    </div>
  );
}

function findMessages(faults: readonly FaultPlaceView[]): Draw["messagesAt"] {
  const found = new Map<string, string[]>();
  for (const { path, message } of faults) found.set(path, [...(found.get(path) ?? []), message]);
  return (path) => found.get(JSON.stringify(path)) ?? [];
}

function Value({ value, path, draw }: Place & { readonly value: Json }): ReactNode {
  return (
    <>
      <Plain value={value} path={path} draw={draw} />
      {path.length ? <Messages path={path} draw={draw} /> : null}
    </>
  );
}

const Messages = ({ path, draw }: Place): ReactNode =>
  draw.messagesAt(path).map((message) => (
    <small key={message} className="json-fault">
      {message}
    </small>
  ));

function Plain({ value, path, draw }: Place & { readonly value: Json }): ReactNode {
  if (path.length > MAX_DEPTH) return <code>{JSON.stringify(value)}</code>;
  if (isList(value)) {
    if (!value.length) return <Empty draw={draw} />;
    if (value.every(isObject)) return <Rows rows={value} path={path} draw={draw} />;
    return (
      <ol>
        {value.slice(0, MAX_ITEMS).map((item, at) => (
          <li key={at}>
            <Value value={item} path={[...path, at]} draw={draw} />
          </li>
        ))}
        <More count={value.length - MAX_ITEMS} draw={draw} />
      </ol>
    );
  }
  if (isObject(value)) {
    const fields = Object.entries(value);
    if (!fields.length) return <Empty draw={draw} />;
    return (
      <dl>
        {fields.slice(0, MAX_ITEMS).map(([name, inner]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Value value={inner} path={[...path, name]} draw={draw} />
            </dd>
          </div>
        ))}
        <More count={fields.length - MAX_ITEMS} draw={draw} />
      </dl>
    );
  }
  if (typeof value === "string") return <span dir="auto">{value}</span>;
  return <span className="json-scalar">{String(value)}</span>;
}

function Rows({ rows, path, draw }: Place & { readonly rows: readonly JsonObject[] }): ReactNode {
  const shown = rows.slice(0, MAX_ITEMS);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))];
  return (
    <table>
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((row, at) => (
          <tr key={at}>
            {names.map((name, column) => (
              <td key={name}>
                {row[name] === undefined ? null : <Value value={row[name]} path={[...path, at, name]} draw={draw} />}
                {column ? null : <Messages path={[...path, at]} draw={draw} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {rows.length > MAX_ITEMS ? (
        <tfoot>
          <tr>
            <td colSpan={names.length}>{moreOf(rows.length - MAX_ITEMS, draw)}</td>
          </tr>
        </tfoot>
      ) : null}
    </table>
  );
}

const Empty = ({ draw }: { readonly draw: Draw }): ReactNode => <span className="json-empty">{draw.empty}</span>;

const More = ({ count, draw }: { readonly count: number; readonly draw: Draw }): ReactNode =>
  count > 0 ? <div className="json-empty">{moreOf(count, draw)}</div> : null;

const moreOf = (count: number, draw: Draw): string => draw.more.replace("{count}", count.toLocaleString());
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is JsonObject => value !== null && typeof value === "object" && !isList(value);
