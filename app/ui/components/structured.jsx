/**
 * A reply that was asked to fit a JSON schema: as a table or a tree while it comes, with what does not fit pointed out.
 *
 * The server reads and judges it (`GET /pairs/{id}/structured`); this only shows. `children` draw the source.
 */
import { Suspense, useEffect, useState } from "react";
import { ask } from "./api.js";
import { lazy } from "./lazy.js";
import { onText } from "./live.js";

const JsonTree = lazy(() => import("./json_tree.jsx"));
const PACE_MS = 500;

export function Structured({ pairId, live, children }) {
  const [told, setTold] = useState(null);
  const [fault, setFault] = useState("");
  const [source, setSource] = useState(false);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const read = async () => {
      timer = 0;
      try {
        const answer = await ask("GET", `/pairs/${pairId}/structured`);
        if (gone) return;
        setTold(answer);
        setFault("");
        if (!live && answer.running) plan();
      } catch ({ message }) {
        if (!gone) setFault(message);
      }
    };
    const plan = () => (timer ||= setTimeout(read, PACE_MS));
    read();
    const stop = live ? onText(pairId, plan) : () => {};
    return () => {
      gone = true;
      clearTimeout(timer);
      stop();
    };
  }, [pairId, live]);

  const errors = told?.errors ?? [];
  const count = errors.length === 1 ? "1 fault" : `${errors.length} faults`;
  const state = !told ? "Reading…" : told.running ? (errors.length ? `Still coming: ${count} already` : "Still coming") : told.valid ? "Fits the schema" : `Does not fit: ${count}`;
  return (
    <section className="structured" aria-label="Structured reply">
      <header>
        <p role="status" data-state={!told || told.running ? "open" : told.valid ? "fits" : "faulty"}>{state}</p>
        <button type="button" aria-pressed={source} onClick={() => setSource(!source)}>Source</button>
      </header>
      {fault ? <p className="structured-fault" role="alert">{fault}</p> : null}
      {errors.length ? (
        <ul className="structured-faults" aria-label="What does not fit">
          {errors.map(({ place, message }, at) => (
            <li key={at}><code>{place}</code> {message}</li>
          ))}
        </ul>
      ) : null}
      {source || (told && !told.running && !told.found) ? children : null}
      {!source && told?.found ? (
        <Suspense fallback={null}>
          <JsonTree value={told.value} errors={errors} />
        </Suspense>
      ) : null}
      {told?.repair ? (
        <p className="structured-repair">
          <button type="button" onClick={() => dispatchEvent(new CustomEvent("inview:draft", { detail: { text: told.repair, schema: JSON.stringify(told.schema) } }))}>Ask for a repair…</button>
          <span>Puts the faults into the composer, to be read and sent.</span>
        </p>
      ) : null}
    </section>
  );
}
