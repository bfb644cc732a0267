/**
 * Where a person writes: a text area that grows, keeps its draft, and sends.
 *
 * Not the choice of a model (its `children`, written in Python). A send goes over HTTP: the answer says at once whether
 * it was accepted, no limit of a websocket frame stands in the way, and a refused text comes back into the box. What is
 * typed is sent as it stands, character for character; while a reply runs one can write on, but not send.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { expectSent, useConversation, useLive } from "./history.jsx";
import { applyShortcut } from "./shortcuts.js";
import { readDraft, writeDraft } from "./drafts.js";
import { createConversation, sendText } from "./api.js";

const COARSE = "(pointer: coarse)";

export function Composer({ model = "", placeholder, onStop, onRefused, children }) {
  const area = useRef(null);
  const sending = useRef(false);
  const [blank, setBlank] = useState(true);
  const [fault, setFault] = useState("");
  const [stopping, setStopping] = useState("");
  const navigate = useNavigate();
  const conversation = useConversation();
  const { id, running, link } = useLive();
  const busy = Boolean(conversation) && id === conversation ? running : "";

  const show = useCallback((text) => {
    area.current.value = text;
    setBlank(!text.trim());
    grow(area.current);
  }, []);

  useEffect(() => {
    const typed = area.current.value; // typed before this script ran
    show(typed || readDraft(conversation));
    setFault("");
    if (!matchMedia(COARSE).matches) area.current.focus({ preventScroll: true });
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
  }, [conversation, show]);

  const send = async () => {
    const text = area.current.value;
    if (!text.trim() || sending.current) return;
    if (busy) return setFault("A reply is running. Stop it or wait for its end; your text is kept.");
    sending.current = true;
    setFault("");
    writeDraft(conversation, text);
    show("");
    expectSent(text);
    try {
      const target = conversation || (await createConversation(model));
      await sendText(target, text, model);
      writeDraft(conversation, area.current?.value ?? "");
      if (!conversation) navigate(`/c/${target}`);
    } catch (problem) {
      const since = area.current.value;
      show(since ? `${text}\n${since}` : text);
      setFault(problem.message);
      onRefused?.(problem.message);
    } finally {
      sending.current = false;
    }
  };

  const pressed = (event) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (!event.repeat) send();
    } else if (applyShortcut(event)) event.preventDefault();
  };

  const stop = () => {
    setStopping(busy);
    onStop?.();
  };

  return (
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
      <textarea
        ref={area}
        id="prompt"
        rows={1}
        autoFocus
        placeholder={placeholder}
        aria-label="Message"
        autoComplete="off"
        onKeyDown={pressed}
        onInput={({ target }) => {
          setBlank(!target.value.trim());
          setFault("");
          grow(target);
        }}
      />
      <div className="tools">
        {children}
        {busy ? (
          <button type="button" className="stop" onClick={stop} disabled={stopping === busy} aria-label="Stop the reply" title="Stop the reply">
            <svg viewBox="0 0 16 16" aria-hidden="true"><rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" /></svg>
          </button>
        ) : (
          <button type="submit" className="send" disabled={blank} aria-label="Send" title="Send (Enter)">
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 13V3.5M3.8 7.4 8 3.2l4.2 4.2" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" /></svg>
          </button>
        )}
      </div>
    </form>
  );
}

const GROWS_ITSELF = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

function grow(box) {
  if (GROWS_ITSELF) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
