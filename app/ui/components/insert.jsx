/**
 * What MCP servers offer for a message: a button for their prompts and resources, and their prompts when a text begins with "/".
 *
 * What they give comes as text into the box, where it is read, changed and counted like all that is typed. The list and
 * the dialog are fetched when they first open; until then nothing is asked of anybody.
 */
import { Suspense, useEffect, useRef, useState } from "react";
import { lazy } from "./lazy.js";

const InsertDialog = lazy(() => import("./insert_dialog.jsx"));
const PromptList = lazy(() => import("./prompt_list.jsx"));

const SLASH = /^\/(\S*)$/;
const MOST_UNDONE = 10_000; // characters: what browsers write with undo takes them the longer the more lines it has

/** `area` holds the box, `agent` is who answers: their servers are those that are offered. */
export function Insert({ area, agent }) {
  const [asked, setAsked] = useState(null); // an open dialog: with `prompt` and `server`, for that one alone
  const [typing, setTyping] = useState(false); // a text that begins with "/", and may name a prompt
  const [given, setGiven] = useState(null); // a text that is to go into the box, and whether it takes the place of a name
  const button = useRef(null);

  useEffect(() => {
    const box = area.current;
    const typed = () => box.value === "/" && setTyping(true);
    box.addEventListener("input", typed);
    return () => box.removeEventListener("input", typed);
  }, [area]);

  useEffect(() => {
    if (!given) return; // now, for an open dialog lets nothing beside it have the focus
    put(area.current, given);
    setGiven(null);
  }, [area, given]);

  const close = () => {
    setAsked(null);
    setTimeout(() => (asked.prompt ? area : button).current?.focus(), 0);
  };
  return (
    <>
      <button type="button" ref={button} className="schema-button" aria-label="Insert from a server" aria-haspopup="dialog" title="Insert a prompt or a resource of an MCP server (prompts: / in an empty box)" onClick={() => setAsked({})}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5v11M2.5 8h11" /></svg>
      </button>
      {typing ? (
        <Suspense fallback={null}>
          <PromptList area={area} agent={agent} onChoose={(choice) => (setTyping(false), setAsked(choice))} onClose={() => setTyping(false)} />
        </Suspense>
      ) : null}
      {asked ? (
        <Suspense fallback={null}>
          <InsertDialog start={asked.prompt ? asked : null} agent={agent} onText={(text) => (setAsked(null), setGiven({ text, named: Boolean(asked.prompt) }))} onClose={close} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Put a text where the caret is, in paragraphs of its own; after "/name" in its place. The box's own undo takes it back, unless it is long. */
function put(box, { text, named }) {
  box.focus();
  if (named && SLASH.test(box.value)) box.select();
  else box.selectionStart = box.selectionEnd;
  const before = box.value.slice(0, box.selectionStart);
  const after = box.value.slice(box.selectionEnd);
  const lead = !before || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const tail = !after || after.startsWith("\n\n") ? "" : after.startsWith("\n") ? "\n" : "\n\n";
  const words = lead + text + tail;
  if (words.length <= MOST_UNDONE) return void document.execCommand("insertText", false, words);
  box.setRangeText(words, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
