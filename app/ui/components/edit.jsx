/**
 * Editing a pair in its place: the request becomes a text area, the reply is hidden meanwhile. Enter sends it again,
 * Escape leaves everything as it was.
 *
 * Not what sending again does (resend.js).
 */
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { cancelEditing, editedPairId, editedText, keepEdit, seenVersion, seeVersion, startEditing, stopEditing, subscribeEditing, takesFocus } from "./edit.js";
import { pairOf, snapshot } from "./live.js";
import { resend } from "./resend.js";
import { askModel } from "./dialogs.js";
import { applyShortcut } from "./shortcuts.js";
import { tellFault } from "./toasts.js";
import { go } from "$/islands/transcript/walk.ts";

const nowhere = () => false;

const useIsEdited = (id) => useSyncExternalStore(subscribeEditing, () => editedPairId() === id, nowhere);

/** Somebody else deleted the pair while it was being edited. The text area is there again if it comes back. */
function sayIfGone(pair) {
  const { id, link } = snapshot();
  if (editedPairId() !== pair.id || id !== pair.conversation_id || link !== "open" || pairOf(pair.id)) return;
  tellFault(new Error(`Pair ${pair.position}, which you are editing, is gone from here: deleted or hidden elsewhere. What you wrote is kept, and stands in it again when it comes back.`));
}

/** The request of a pair, drawn by Python as `children` unless it is being edited. */
export function Request({ pair, children }) {
  return useIsEdited(pair.id) ? <EditForm pair={pair} /> : children;
}

function EditForm({ pair }) {
  const area = useRef(null);
  const [blank, setBlank] = useState(!editedText().trim());
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  useLayoutEffect(() => {
    const row = area.current.closest("[data-pair]");
    row.dataset.edited = "true";
    return () => delete row.dataset.edited;
  }, []);
  useLayoutEffect(() => {
    const box = area.current;
    grow(box);
    if (!takesFocus()) return;
    box.focus({ preventScroll: true });
    box.setSelectionRange(box.value.length, box.value.length);
    box.scrollIntoView({ block: "nearest" });
  }, []);
  useEffect(() => () => void setTimeout(() => sayIfGone(pair), 0), []);
  const send = async () => {
    if (blank || busy) return;
    setBusy(true);
    setFault("");
    try {
      const where = await resend(pair, { text: area.current.value, standing: seenVersion() });
      if (!where) return setBusy(false);
      stopEditing();
      if (where === pair.conversation_id) setTimeout(() => go(pair.id, 0), 0); // else the page is on its way to a branch
    } catch ({ message, problem }) {
      setFault(message);
      if (problem?.version) seeVersion(problem.version); // it is told, and what was written here is kept: the next one goes
      setBusy(false);
      area.current?.focus();
    }
  };
  const pressed = (event) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") cancelEditing();
    else if (event.key === "Enter" && !event.shiftKey && !event.altKey) event.repeat || send();
    else if (!applyShortcut(event)) return;
    event.preventDefault();
  };
  return (
    <form
      className="edit-form"
      aria-label={`Edit pair ${pair.position}`}
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={area}
        rows={1}
        dir="auto"
        data-part="request"
        defaultValue={editedText()}
        aria-label={`Request of pair ${pair.position}`}
        autoComplete="off"
        readOnly={busy}
        onKeyDown={pressed}
        onInput={({ target }) => {
          keepEdit(target.value);
          setBlank(!target.value.trim());
          setFault("");
          grow(target);
        }}
      />
      {fault ? <p className="edit-fault" role="alert">{fault}</p> : null}
      <div className="edit-buttons">
        <p>{busy ? "Sending…" : "The pairs in view above it go along."}</p>
        <button type="button" onClick={cancelEditing} title="Everything stays as it was (Esc)">Cancel</button>
        <button type="submit" className="loud" disabled={blank || busy} title="Send it again in its place (Enter)">Resend</button>
      </div>
    </form>
  );
}

/** The ways to send a pair again, in its line. */
export function Again({ pair }) {
  return (
    <span className="marks again">
      <button type="button" className="mark" aria-label="Edit and resend" title="Edit and resend (e)" onClick={() => startEditing(pair)}>
        <Icon path="m3 13 .6-2.9 7-7 2.3 2.3-7 7zM9.2 4.5l2.3 2.3" />
      </button>
      <button type="button" className="mark" aria-label="Answer again" title="Answer again, by this or another model (r)" onClick={({ currentTarget }) => askModel(pair, currentTarget)}>
        <Icon path="M13 3.2v3.3H9.7M12.7 6.3A5.2 5.2 0 1 0 13.2 9" />
      </button>
    </span>
  );
}

const Icon = ({ path }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" strokeLinecap="round">
    <path d={path} />
  </svg>
);

const GROWS_ITSELF = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

function grow(box) {
  if (GROWS_ITSELF) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
