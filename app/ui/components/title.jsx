/**
 * The title above a conversation: typed over to rename, or had made by a model, unless it is a person's own.
 *
 * A title that comes from elsewhere never replaces what is being typed; leaving the field unchanged renames nothing.
 */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { useConversation } from "./history.jsx";
import { looking } from "./live.js";
import { needPart } from "./page_parts.js";
import { tell, tellFault } from "./toasts.js";

export function TitleField({ title, made, onRename }) {
  const field = useRef(null);
  const before = useRef(title); // what stood there when the field was entered
  useEffect(() => {
    if (document.activeElement !== field.current) field.current.value = title;
  }, [title]);
  const left = ({ target }) => {
    if (target.value === before.current) target.value = title;
    else onRename?.(target.value);
  };
  const pressed = (event) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.target.blur();
  };
  return (
    <>
      <input
        ref={field}
        name="title"
        defaultValue={title}
        onFocus={({ target }) => (before.current = target.value)}
        onBlur={left}
        onKeyDown={pressed}
        dir="auto"
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        aria-label="Title of the conversation"
        title="Rename"
        className="title-field"
      />
      {made ? <Again /> : null}
    </>
  );
}

/** Asks for another title. The title itself comes as every change of the conversation does. */
function Again() {
  const conversation = useConversation();
  const [busy, setBusy] = useState(false);
  const begin = async () => {
    setBusy(true);
    try {
      const { followRun } = await needPart(() => import("./summarise.js"));
      const { filter, topic, zone, as_of } = looking();
      const started = await ask("POST", `/conversations/${conversation}/title`, { filter, topic, zone, as_of });
      const end = await followRun(started.events, () => {});
      if (end.kind === "error") tell(`No title was made: ${end.data.message}`);
      else if (end.kind === "done" && !end.characters) tell("The model said nothing. The title is as it was.");
    } catch (problem) {
      tellFault(problem);
    }
    setBusy(false);
  };
  return (
    <button type="button" className="title-again" aria-label="Have a title made" title={busy ? "Asking for a title…" : "Have a title made"} aria-busy={busy} onClick={busy ? undefined : begin}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3" /></svg>
    </button>
  );
}
