/**
 * The versions of a pair side by side in one text: what went and what came, word by word, and the way to let one stand.
 *
 * Fetched when it first opens.
 */
import { useEffect, useMemo, useState } from "react";
import { ask } from "./api.js";
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { Moment } from "./shell.jsx";
import { restore } from "./versions.js";
import { diffWords } from "./word_diff.js";

const ENDS = { succeeded: "", canceled: "stopped", error: "failed", sending: "running", awaiting: "running" };

export default function VersionDiff({ pair }) {
  const { versions, fault } = useVersions(pair.id);
  const [chosen, choose] = useState({ from: pair.version > 1 ? pair.version - 1 : 2, to: pair.version });
  const label = `Versions of pair ${pair.position}`;
  const [from, to] = [versions?.[chosen.from - 1], versions?.[chosen.to - 1]];
  const stand = (version) => {
    closeDialog();
    restore(pair, version);
  };
  return (
    <Dialog label={label} className="modal version-diff" onClose={closeDialog}>
      <h2 className="dialog-title">{label}</h2>
      {fault ? <p className="inspector-fault" role="alert">{fault}</p> : null}
      {!versions && !fault ? <p className="dialog-words" role="status">Reading the versions…</p> : null}
      {from && to ? (
        <>
          <div className="version-choice">
            <Choice name="From" versions={versions} value={chosen.from} onChange={(number) => choose({ ...chosen, from: number })} />
            <Choice name="To" versions={versions} value={chosen.to} onChange={(number) => choose({ ...chosen, to: number })} first />
          </div>
          <div className="version-body" tabIndex={0} role="region" aria-label="Differences">
            <Texts name="Request" before={from.user_text} now={to.user_text} />
            <Texts name="Reply" before={from.reply_text} now={to.reply_text} />
            {to.error ? <p className="dialog-words">[error: {to.error.class}] {to.error.message}</p> : null}
          </div>
        </>
      ) : null}
      <div className="dialog-buttons">
        {[from, to].filter((one) => one && !one.standing).map(({ version }) => (
          <button key={version} type="button" onClick={() => stand(version)}>Let version {version} stand</button>
        ))}
        <button type="button" onClick={closeDialog}>Close</button>
      </div>
    </Dialog>
  );
}

function Choice({ name, versions, value, onChange, first }) {
  const { model, created_at: at, lifecycle, standing } = versions[value - 1];
  return (
    <label>
      <span>{name}</span>
      <select value={value} onChange={({ target }) => onChange(Number(target.value))} data-first={first}>
        {versions.map((one) => (
          <option key={one.version} value={one.version}>
            Version {one.version}{one.standing ? " (stands)" : ""}
          </option>
        ))}
      </select>
      <small>{[model, ENDS[lifecycle], standing ? "stands now" : ""].filter(Boolean).join(" · ")} · <Moment at={at} /></small>
    </label>
  );
}

function Texts({ name, before, now }) {
  const rows = useMemo(() => diffWords(before, now), [before, now]);
  const same = rows.every(({ sign }) => !sign);
  return (
    <section aria-label={name}>
      <h3>{name}{same ? (now ? ": the same" : ": none") : ""}</h3>
      <p className="diffed" dir="auto">
        {rows.map(({ sign, text }, at) => (sign === "-" ? <del key={at}>{text}</del> : sign === "+" ? <ins key={at}>{text}</ins> : <span key={at}>{text}</span>))}
      </p>
    </section>
  );
}

function useVersions(id) {
  const [state, setState] = useState({ versions: null, fault: "" });
  useEffect(() => {
    let wanted = true;
    ask("GET", `/pairs/${id}/versions`).then(
      ({ items }) => wanted && setState({ versions: items, fault: "" }),
      ({ message }) => wanted && setState({ versions: null, fault: message }),
    );
    return () => (wanted = false);
  }, [id]);
  return state;
}
