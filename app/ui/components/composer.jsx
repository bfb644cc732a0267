/**
 * Where a person writes: a text area that grows, keeps its draft, and sends.
 *
 * Not the choice of a model (its `children`, written in Python). A send goes over HTTP: the answer says at once whether
 * it was accepted, no limit of a websocket frame stands in the way, and a refused text comes back into the box. What is
 * typed is sent as it stands, character for character; while a reply runs it is queued at the server (queue.jsx).
 */
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { expectSent, useConversation, useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { applyShortcut } from "./shortcuts.js";
import { readDraft, readSchema, writeDraft, writeSchema } from "./drafts.js";
import { ask, compareText, createConversation, queueText, sendText } from "./api.js";
import { inspect } from "./inspect.js";
import { needPart } from "./page_parts.js";
import { looking, setDraft, setView } from "./live.js";
import { savePreferences } from "./preferences.js";
import { Estimate } from "./estimate.jsx";
import { KeptBack } from "./prelude.jsx";
import { learnKind, wantsTemporary } from "./temporary.js";
import { carryTopic } from "./topics.js";
import { Compare } from "./compare.jsx";
import { ofSeveral } from "./comparing.js";
import { SchemaChoice } from "./schema_choice.jsx";
import { Insert } from "./insert.jsx";

const Queue = lazy(() => import("./queue.jsx"));
const Permissions = lazy(() => import("./permissions.jsx"));
const OverBudget = lazy(() => import("./over_budget.jsx"));
const OVER_BUDGET = "urn:inview:problem:over-budget";
const SEND_LOCKED = "urn:inview:problem:send-locked";

const NOTHING_WAITS = { items: [], held: null };
const COARSE = "(pointer: coarse)";

export function Composer({ model: chosen = "", modelIn = "", agent = "", placeholder, onStop, onRefused, onModel, children }) {
  const area = useRef(null);
  const sending = useRef(false);
  const [blank, setBlank] = useState(true);
  const [fault, setFault] = useState("");
  const [stopping, setStopping] = useState("");
  const [refused, setRefused] = useState(null); // a send that does not fit: its problem, its text, whether it waited in the queue
  const [work, setWork] = useState(null); // a summary that is being written: its words, and how to stop it
  const [schema, setSchema] = useState(""); // a JSON schema that goes with the draft, as text
  const asked = useRef(""); // the same, for what outlives a render
  const made = useRef(""); // a conversation made for a first text that was then refused
  const navigate = useNavigate();
  const conversation = useConversation();
  // Until the choice made here is known: a conversation that is there has a model of its own, a new one waits for it.
  const settled = modelIn === conversation;
  const model = settled ? chosen : "";
  const unsent = useRef(null);
  const { id, running, link, queue, comparison, permissions } = useLive();
  const busy = Boolean(conversation) && id === conversation ? running : "";

  const waits = Boolean(conversation) && id === conversation && queue?.items.length > 0;
  const waited = useRef(""); // where something has waited: an edit of it outlives what is edited
  if (waits) waited.current = conversation;

  const show = useCallback((text) => {
    area.current.value = text;
    setBlank(!text.trim());
    setDraft(withSchema(text, asked.current));
    grow(area.current);
  }, []);

  const chooseSchema = useCallback((text) => {
    asked.current = text;
    setSchema(text);
    writeSchema(conversation, text);
    setDraft(withSchema(area.current?.value ?? "", text));
  }, [conversation]);

  useEffect(() => {
    const given = ({ detail }) => {
      const since = area.current.value;
      chooseSchema(detail.schema);
      show(since.trim() ? `${detail.text}\n\n${since}` : detail.text);
      setFault("");
      area.current.focus();
    };
    addEventListener("inview:draft", given);
    return () => removeEventListener("inview:draft", given);
  }, [chooseSchema, show]);

  useEffect(() => {
    if (model) setView({ model });
  }, [model]);

  useEffect(() => {
    const typed = area.current.value; // typed before this script ran
    chooseSchema(readSchema(conversation));
    show(typed || readDraft(conversation));
    setFault("");
    // Who walks from branch to branch in the inspector stays there.
    if (!matchMedia(COARSE).matches && !document.activeElement?.closest("#inspector")) area.current.focus({ preventScroll: true });
    const keep = () => writeDraft(conversation, area.current?.value ?? "");
    const timer = setInterval(keep, 400);
    addEventListener("pagehide", keep);
    const box = area.current;
    return () => {
      clearInterval(timer);
      removeEventListener("pagehide", keep);
      writeDraft(conversation, box.value);
      box.value = "";
    };
  }, [conversation, show, chooseSchema]);

  const send = async (choices = {}) => {
    const text = area.current.value;
    if (!text.trim() || sending.current) return;
    if (!conversation && !settled) {
      unsent.current = choices;
      return setFault("Waiting for the model of a new conversation…");
    }
    sending.current = true;
    setFault("");
    writeDraft(conversation, text);
    const wanted = asked.current;
    chooseSchema("");
    show("");
    if (!busy) expectSent(text);
    try {
      const target = conversation || (made.current ||= await createConversation(model, wantsTemporary(), agent));
      if (!conversation) learnKind(target, wantsTemporary());
      const how = { ...looking(), ...(model && { model }), ...(wanted && { schema: JSON.parse(wanted) }), ...choices };
      if (choices.models) await compareText(target, text, how);
      else if (busy) await queueText(target, text, how);
      else await sendText(target, text, how).catch((problem) => {
        if (problem.problem?.type !== SEND_LOCKED) throw problem;
        return queueText(target, text, how); // a reply began elsewhere just now
      });
      writeDraft(conversation, area.current?.value ?? "");
      made.current = "";
      if (!conversation) {
        carryTopic(target);
        learnKind("", false);
        navigate(`/c/${target}`);
      }
    } catch (problem) {
      const since = area.current.value;
      if (wanted && !asked.current) chooseSchema(wanted);
      show(since ? `${text}\n${since}` : text);
      if (problem.problem?.type === OVER_BUDGET) return setRefused({ problem: choices.models ? ofSeveral(problem.problem) : problem.problem, text, models: choices.models });
      setFault(problem.message);
      onRefused?.(problem.message);
    } finally {
      sending.current = false;
    }
  };

  useEffect(() => {
    const choices = unsent.current;
    unsent.current = null;
    if (choices && settled) send(choices);
  }, [conversation, settled]);

  const pressed = (event) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && event.shiftKey && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (conversation) inspect("preview");
      else setFault("A dry run shows what a conversation would send. Begin one by sending its first text.");
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (!event.repeat) send();
    } else if (event.key === "Enter" && event.altKey) {
      event.preventDefault();
      if (!event.repeat) dispatchEvent(new Event("inview:compare"));
    } else if (event.key === "ArrowUp" && !area.current.value && waits) {
      event.preventDefault();
      document.querySelector(".queue li:last-child [data-edit]")?.click();
    } else if (applyShortcut(event)) event.preventDefault();
  };

  /** A way out of what does not fit was chosen. */
  const choose = async ({ remember, summarise, ...choices }) => {
    const { text, waited, models } = refused;
    setRefused(null);
    if (summarise) return summariseFirst(text, waited);
    if (remember && choices.over_budget) savePreferences({ over_budget: choices.over_budget }).catch(({ message }) => setFault(message));
    if (choices.model) onModel?.(choices.model);
    area.current.focus();
    await (waited ? goOn : send)({ ...choices, ...(models && { models }) });
  };

  const summariseFirst = async (text, waited) => {
    setFault("");
    try {
      const { summarise } = await needPart(() => import("./summarise.js"));
      await summarise(conversation, { ...looking(), ...(model && { model }), text }, (words, end) => setWork({ words, end }));
    } catch (problem) {
      return setFault(problem.message);
    } finally {
      setWork(null);
      area.current?.focus();
    }
    if (waited) await goOn();
    else if (area.current?.value === text) await send();
  };

  /** Let the queue go on; `choices` are for its first text. */
  const goOn = async (choices = {}) => {
    setFault("");
    try {
      await ask("POST", `/conversations/${conversation}/queue/resume`, choices);
    } catch (problem) {
      if (problem.problem?.type !== OVER_BUDGET) return setFault(problem.message);
      setRefused({ problem: problem.problem, text: queue.items[0]?.text ?? "", waited: true });
    }
  };

  const stop = () => {
    setStopping(busy);
    onStop?.();
  };

  useEffect(() => {
    if (!busy) return undefined;
    const asked = (event) => {
      event.preventDefault(); // so that whoever asks knows
      stop();
    };
    addEventListener("inview:stop", asked);
    return () => removeEventListener("inview:stop", asked);
  }, [busy]);

  return (
    <>
      {conversation && id === conversation && permissions?.length ? (
        <Suspense fallback={null}>
          <Permissions requests={permissions} />
        </Suspense>
      ) : null}
      {conversation && waited.current === conversation ? (
        <Suspense fallback={null}>
          <Queue key={conversation} conversation={conversation} queue={(id === conversation && queue) || NOTHING_WAITS} busy={Boolean(busy)} onGoOn={goOn} onBack={(text) => show([text, area.current.value].filter(Boolean).join("\n"))} />
        </Suspense>
      ) : null}
      <form
        className="composer"
        aria-label="Message"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p className="notice" role="status" hidden={!fault && link !== "lost"}>
          {fault || "Connection lost. Reconnecting…"}
        </p>
        <KeptBack />
        {work ? (
          <p className="notice work" role="status">
            {work.words} <button type="button" onClick={() => work.end().catch(({ message }) => setFault(message))}>Stop</button>
          </p>
        ) : null}
        <textarea
          ref={area}
          id="prompt"
          rows={1}
          dir="auto"
          autoFocus
          placeholder={placeholder}
          aria-label="Message"
          autoComplete="off"
          onKeyDown={pressed}
          onInput={({ target }) => {
            setBlank(!target.value.trim());
            setDraft(withSchema(target.value, asked.current));
            setFault("");
            grow(target);
          }}
        />
        <div className="tools">
          {children}
          <div className="sending">
            <Compare conversation={conversation} comparison={id === conversation ? comparison : null} blank={blank} busy={Boolean(busy)} model={model} onCompare={(models) => send({ models })} onBack={(text) => area.current.value || show(text)} />
            <Insert area={area} agent={agent} />
            <SchemaChoice schema={schema} onSchema={chooseSchema} />
            <Estimate />
            {busy && !blank ? (
              <button type="submit" className="send" aria-label="Queue" title="Queue: sent after the reply that runs (Enter)">
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 4.5h10M3 8h6M3 11.5h4M12 8.2v5M9.8 10.9l2.2 2.2 2.2-2.2" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" /></svg>
              </button>
            ) : null}
            {busy ? (
              <button type="button" className="stop" onClick={stop} disabled={stopping === busy} aria-label="Stop the reply" title="Stop the reply (Esc twice)">
                <svg viewBox="0 0 16 16" aria-hidden="true"><rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" /></svg>
              </button>
            ) : (
              <button type="submit" className="send" disabled={blank} aria-label="Send" title="Send (Enter)">
                <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 13V3.5M3.8 7.4 8 3.2l4.2 4.2" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" /></svg>
              </button>
            )}
          </div>
        </div>
      </form>
      {refused ? (
        <Suspense fallback={null}>
          <OverBudget problem={refused.problem} onChoose={choose} onCancel={() => (setRefused(null), area.current.focus())} />
        </Suspense>
      ) : null}
    </>
  );
}

/** What is counted of a draft: its words, and the schema that goes with them. */
const withSchema = (text, schema) => (schema ? `${text}\n${schema}` : text);

const GROWS_ITSELF = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

function grow(box) {
  if (GROWS_ITSELF) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
