/** Says that a conversation is temporary, and what can be done about it; the switch that makes the next one so. */
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { ask } from "./api.js";
import { useLive } from "./history.jsx";
import { open } from "./live.js";
import { learnKind, subscribeKind, wantsTemporary } from "./temporary.js";
import { tell } from "./toasts.js";

const no = () => false;

/** For the page of a new conversation. */
export function TemporarySwitch() {
  const wanted = useSyncExternalStore(subscribeKind, wantsTemporary, no);
  const box = useRef(null);
  useLayoutEffect(() => {
    if (box.current.checked) learnKind("", true); // before this script ran
  }, []);
  return (
    <div className="temporary-choice">
      <label>
        <input ref={box} type="checkbox" role="switch" checked={wanted} onChange={({ target }) => learnKind("", target.checked)} aria-describedby="temporary-words" /> Temporary
      </label>
      <p id="temporary-words" hidden={!wanted}>
        Nothing of this conversation will be written to the disk. It is gone when you discard it or Inview ends. What its calls used stays in the ledger, without a word of it.
      </p>
    </div>
  );
}

/** For the page of the `conversation`; `onKept` reads again what it is now, `onDiscard` asks before it is deleted. */
export function TemporaryNote({ conversation: id, temporary, onKept, onDiscard }) {
  const { id: shown, link } = useLive();
  const [fault, setFault] = useState("");
  const [keeping, setKeeping] = useState(false);
  useEffect(() => {
    if (id) learnKind(id, temporary);
    setFault("");
  }, [id, temporary]);
  useEffect(() => {
    if (!temporary || shown !== id || link !== "gone") return;
    // It left the memory: for the disk, perhaps, from another tab.
    ask("GET", `/conversations/${id}`).then(() => {
      open(id);
      onKept?.();
    }, no);
  }, [id, temporary, shown, link]);

  if (!id || !temporary) return null;
  const keep = async () => {
    setKeeping(true);
    setFault("");
    try {
      await ask("POST", `/conversations/${id}/keep`);
      tell("Kept. It is like any other conversation now.");
    } catch ({ message }) {
      setFault(message);
    }
    setKeeping(false);
  };
  return (
    <div className="temporary-note" role="group" aria-label="Temporary conversation">
      <p>
        <strong>Temporary.</strong> Nothing of it is written to the disk; it is gone when you discard it or Inview ends.
      </p>
      <button type="button" className="quiet" onClick={keep} disabled={keeping}>Keep</button>
      <button type="button" className="quiet" onClick={() => onDiscard?.(id)}>Discard</button>
      {fault ? <p className="temporary-fault" role="alert">{fault}</p> : null}
    </div>
  );
}
