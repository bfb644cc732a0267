/**
 * What waits for the reply that runs: read, edited, moved, dropped, and let go when it is held.
 *
 * Fetched when something waits for the first time. The queue itself is the server's: every change is a call, and what
 * stands here came over the live socket. While a text is edited the queue is paused, so that it is not sent half done;
 * an edit that was not finished is kept as a draft of its own.
 */
import { useEffect, useRef, useState } from "react";
import { offer } from "$/islands/kit/places.ts";
import { ask } from "./api.js";
import { readDraft, writeDraft } from "./drafts.js";
import { plural } from "./figures.js";
import { enterInput } from "./modes.js";
import { tell, tellFault } from "./toasts.js";

const IDLE_MS = 1500; // between a reply and the next text nothing runs for a moment

export default function Queue({ conversation, queue, busy, onGoOn, onBack }) {
  const { items, held } = queue;
  const [edited, setEdited] = useState(null); // the item as it was when its edit began
  const [going, setGoing] = useState(false);
  const paused = useRef(false); // by our own edit
  const idle = useIdle(busy);
  const place = `/conversations/${conversation}/queue`;
  const call = (method, path, body) => ask(method, `${place}${path}`, body).catch((problem) => (tellFault(problem), null));

  const edit = async (item) => {
    setEdited(item);
    if (!held && (await call("POST", "/pause"))) paused.current = true;
  };
  const endEdit = async () => {
    writeDraft(edited.id, "");
    setEdited(null);
    enterInput();
    if (!paused.current) return;
    paused.current = false;
    await call("POST", "/resume", { only: "paused" });
  };
  const save = async (text) => {
    if (text.trim() && (await call("PATCH", `/${edited.id}`, { text, version: edited.version }))) await endEdit();
  };
  const drop = async (item, at) => {
    const dropped = await call("DELETE", `/${item.id}`);
    enterInput();
    if (!dropped) return;
    const { id: _id, version: _version, created_at: _at, ...body } = dropped;
    tell("Dropped from the queue", () => ask("POST", place, { ...body, place: at, paused: Boolean(held) || !busy }));
  };
  const goOn = async () => {
    setGoing(true);
    await onGoOn();
    setGoing(false);
    enterInput();
  };

  const last = useRef(edit);
  last.current = () => items.length && !edited && edit(items.at(-1));
  useEffect(() => offer("queue", () => last.current()), []);

  if (!edited && !items.length) return null;
  const lost = edited && !items.some(({ id }) => id === edited.id);
  return (
    <section className="queue" aria-label="Queue" data-held={held ? held.reason : undefined}>
      <header>
        <p role="status">{edited ? "Paused while you edit." : wordsOf(queue, busy || !idle)}</p>
        {!edited && (held || idle) ? (
          <button type="button" className="quiet" disabled={going} onClick={goOn}>
            {busy ? "Go on" : "Send the next one"}
          </button>
        ) : null}
      </header>
      <ol>
        {lost ? (
          <li>
            <Editor item={edited} note="It was sent or dropped meanwhile." onSave={null} onCancel={endEdit} onBack={(text) => (onBack(text), endEdit())} />
          </li>
        ) : null}
        {items.map((item, at) => (
          <li key={item.id}>
            {edited?.id === item.id ? (
              <Editor item={edited} note="" onSave={save} onCancel={endEdit} />
            ) : (
              <>
                <p dir="auto" title={item.model ?? undefined}>{item.text}</p>
                <Button label="Edit" of={at} onClick={() => edit(item)} disabled={Boolean(edited)} data-edit path="M3 13l.7-2.9 6.9-6.9 2.2 2.2-6.9 6.9zM9.4 4.4l2.2 2.2" />
                {at ? <Button label="Move up" of={at} onClick={() => call("PATCH", `/${item.id}`, { place: at - 1 })} path="M8 12.5v-9M4.2 7.3 8 3.5l3.8 3.8" /> : null}
                {at < items.length - 1 ? <Button label="Move down" of={at} onClick={() => call("PATCH", `/${item.id}`, { place: at + 1 })} path="M8 3.5v9M4.2 8.7 8 12.5l3.8-3.8" /> : null}
                <Button label="Drop" of={at} onClick={() => drop(item, at)} path="m4.5 4.5 7 7m0-7-7 7" />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Editor({ item, note, onSave, onCancel, onBack }) {
  const box = useRef(null);
  useEffect(() => {
    box.current.value = readDraft(item.id) || item.text;
    box.current.focus();
  }, [item.id, item.text]);
  const pressed = (event) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const asks = event.key === "Enter" && !event.shiftKey && !event.altKey ? onSave && (() => onSave(box.current.value)) : event.key === "Escape" && onCancel;
    if (!asks) return;
    event.preventDefault();
    if (!event.repeat) asks();
  };
  return (
    <div className="queue-edit">
      {note ? <p role="alert">{note}</p> : null}
      <textarea ref={box} rows={2} aria-label="Queued message" onKeyDown={pressed} onInput={({ target }) => writeDraft(item.id, target.value)} />
      <div>
        <button type="button" className="quiet" onClick={onCancel}>{onBack ? "Let it be" : "Cancel"}</button>
        {onBack ? <button type="button" className="quiet" onClick={() => onBack(box.current.value)}>Put it into the message box</button> : null}
        {onSave ? <button type="button" className="quiet" onClick={() => onSave(box.current.value)}>Save</button> : null}
      </div>
    </div>
  );
}

function Button({ label, of, path, ...rest }) {
  return (
    <button type="button" aria-label={`${label} queued message ${of + 1}`} title={label} {...rest}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg>
    </button>
  );
}

/** What the queue is doing, in plain words. */
function wordsOf({ items, held }, busy) {
  const wait = `${plural(items.length, "message")} ${items.length === 1 ? "waits" : "wait"}`;
  if (held) return [held.sentence, held.message, `${wait}.`].filter(Boolean).join(" ");
  if (!busy) return `${wait}. No reply is running.`;
  return `${wait} for this reply. ${items.length === 1 ? "It is" : "They are"} sent when it is complete; if it fails or you stop it, ${items.length === 1 ? "it stays" : "they stay"} here.`;
}

/** Whether no reply has been running for a while. */
function useIdle(busy) {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    setIdle(false);
    if (busy) return undefined;
    const timer = setTimeout(() => setIdle(true), IDLE_MS);
    return () => clearTimeout(timer);
  }, [busy]);
  return idle;
}
