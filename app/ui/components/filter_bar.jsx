/**
 * The filter bar: a line that says which pairs are in view, checked and completed while it is typed.
 *
 * Not the language, which the server reads, and not the list of pairs: a filter is asked for with `setView`, and whatever
 * the server then says is in view is shown here in plain words. A line that cannot be read changes nothing. The filter
 * stands in the address (`?f=`) and is kept with the conversation.
 */
import { Suspense, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useConversation, useLive } from "./history.jsx";
import { lazy } from "./lazy.js";
import { enterView } from "./modes.js";
import { tell } from "./toasts.js";
import { ask } from "./api.js";
import { FilterPanel } from "./filter_panel.jsx";
import { useFeedback } from "./filter_feedback.js";
import { applyFilter, useFilterInAddress } from "./filter_address.js";
import { runCommand } from "./filter_commands.js";

const SavedFilters = lazy(() => import("./saved_filters.jsx"));
const ConfirmCommand = lazy(() => import("./confirm_command.jsx"));

export function FilterBar() {
  const conversation = useConversation();
  const live = useLive();
  const view = live.id === conversation ? live.view : null;
  const applied = view?.filter ?? "";
  const navigate = useNavigate();
  const bar = useRef(null);
  const input = useRef(null);
  const [open, setOpen] = useState(""); // "line" or "saved": what is open below the bar
  const [line, setLine] = useState("");
  const [cursor, setCursor] = useState(0);
  const [pointed, setPointed] = useState({ index: -1 }); // {completion, index}: the suggestion that the arrows are on, and of which list
  const [said, setSaid] = useState(null); // {line, message, refused}: what a command answered
  const [asking, setAsking] = useState(null); // a command that wants to be confirmed
  const [refused, setRefused] = useState(null); // why a filter of the address was not applied
  const past = usePast(open);
  const feedback = useFeedback(conversation, line, cursor, open === "line");
  useFilterInAddress(conversation, view);
  const suggestions = feedback.line === line ? (feedback.completion?.suggestions ?? []) : [];
  const at = suggestions.length && pointed.completion === feedback.completion ? pointed.index : -1;
  const setAt = (index) => setPointed({ completion: feedback.completion, index });

  useEffect(() => {
    if (!open && input.current) input.current.value = applied;
  }, [applied, open]);
  useEffect(() => setRefused(null), [conversation, open]);
  useEffect(() => {
    if (view?.error) setRefused(view.error);
  }, [view?.error]);
  useEffect(() => {
    const focus = () => input.current.focus();
    addEventListener("inview:filter", focus);
    return () => removeEventListener("inview:filter", focus);
  }, []);

  const read = () => {
    setLine(input.current.value);
    setCursor(input.current.selectionStart);
  };
  /** Write into the line in a way that Ctrl+Z knows about. */
  const write = (text, from = 0, to = input.current.value.length) => {
    input.current.focus();
    input.current.setSelectionRange(from, to);
    document.execCommand(text ? "insertText" : "delete", false, text);
    read();
  };
  const close = () => {
    setOpen("");
    setSaid(null);
    past.rest();
    input.current.value = applied;
  };
  const leave = () => {
    close();
    enterView();
  };
  const accept = (suggestion) => {
    const { start, end } = feedback.completion;
    const unit = (count) => [...line].slice(0, count).join("").length;
    write(suggestion.text, unit(start), unit(end));
  };

  const command = async (text, confirmed) => {
    setAsking(null);
    const answer = await runCommand(conversation, text, confirmed).catch(({ message }) => ({ outcome: "refused", message }));
    if (answer.outcome === "ask") return setAsking({ line: text, ...answer });
    if (answer.outcome !== "done") {
      input.current.focus();
      return setSaid({ line: text, message: answer.message, refused: answer.outcome === "refused" });
    }
    past.add(text);
    tell(answer.message, answer.undo?.length ? () => ask("POST", `/conversations/${conversation}/marks`, { changes: answer.undo }) : undefined);
    leave();
    if (answer.conversation_id) navigate(`/c/${answer.conversation_id}`);
    if (answer.export_url) location.assign(answer.export_url);
  };
  const enter = async () => {
    const text = input.current.value;
    const answer = feedback.line === text ? feedback : await feedback.of(text);
    if (answer.error || input.current.value !== text) return;
    if (answer.command) return command(text);
    applyFilter(text);
    past.add(text);
    setOpen("");
    enterView();
  };
  const clear = () => {
    applyFilter("");
    setOpen("");
    enterView();
  };

  const keys = {
    Enter: () => (at >= 0 ? accept(suggestions[at]) : enter()),
    Escape: () => (at >= 0 ? setAt(-1) : leave()),
    Tab: (event) => !event.shiftKey && line && suggestions.length ? accept(suggestions[Math.max(at, 0)]) : false,
    ArrowDown: () => (past.walks(line) ? past.step(-1, line, write) : setAt(suggestions.length ? (at + 1) % suggestions.length : -1)),
    ArrowUp: () => (past.walks(line) ? past.step(1, line, write) : setAt(suggestions.length ? (at < 1 ? suggestions.length : at) - 1 : -1)),
    "Control+p": () => past.step(1, line, write),
    "Control+n": () => past.step(-1, line, write),
  };
  const pressed = (event) => {
    if (event.nativeEvent.isComposing || event.altKey || event.metaKey) return;
    const act = keys[(event.ctrlKey ? "Control+" : "") + event.key];
    if (!act || act(event) === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = ({ relatedTarget }) => {
    const inside = (element) => bar.current.contains(element) || element?.closest?.("dialog");
    if (open && !inside(relatedTarget) && !inside(document.activeElement)) close();
  };

  const error = (open ? feedback.line === line && feedback.error : refused) || null;
  const notices = view?.notices ?? [];
  return (
    <div className="filter-bar" role="search" aria-label="Filter" ref={bar} data-open={open || undefined} data-applied={applied ? true : undefined} onBlur={left}>
      <button type="button" className="filter-fold" tabIndex={-1} aria-label={applied ? `Filter: ${applied}` : "Filter"} title="Filter (/)" onClick={() => input.current.focus()}>
        <Funnel />
        {applied ? <code>{applied}</code> : null}
      </button>
      <div className="filter-field">
        <Funnel />
        <div className="filter-words">
          <input
            id="filter"
            ref={input}
            type="text"
            placeholder="Filter: all pairs are in view"
            aria-label="Filter"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={open === "line" && suggestions.length > 0}
            aria-controls="filter-suggestions"
            aria-activedescendant={at >= 0 ? `filter-suggestion-${at}` : undefined}
            aria-invalid={Boolean(error)}
            aria-describedby="filter-says"
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            maxLength={4000}
            onFocus={() => {
              if (open !== "line") input.current.select();
              setOpen("line");
              read();
            }}
            onInput={() => {
              setSaid(null);
              read();
            }}
            onSelect={read}
            onKeyDown={pressed}
          />
          {open ? null : (
            <p className="filter-sentence" id="filter-says" title={[view?.sentence, ...notices].join("\n")} hidden={!applied && !error}>
              {error ? <span className="filter-wrong">Not applied. {error.message}</span> : view?.sentence}
              {error ? null : notices.map((notice) => <span key={notice} className="filter-notice"> · {notice}</span>)}
            </p>
          )}
        </div>
        {applied ? (
          <button type="button" className="filter-button" aria-label="Clear the filter" title="Clear the filter" onClick={clear}>
            <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4.5 4.5 7 7m0-7-7 7" /></svg>
          </button>
        ) : null}
        <button type="button" className="filter-button" aria-label="Saved filters" title="Saved filters" aria-expanded={open === "saved"} onClick={() => setOpen(open === "saved" ? "" : "saved")}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z" /></svg>
        </button>
        <button type="button" className="filter-button" aria-label="What can be typed here" title="What can be typed here" onClick={() => dispatchEvent(new CustomEvent("inview:sheet", { detail: "filter" }))}>
          <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5.8 6.2a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6m0 2.1v.1" /></svg>
        </button>
      </div>
      {open === "line" ? (
        <FilterPanel line={line} feedback={feedback} said={said?.line === line ? said : null} error={error} at={at} onPoint={setAt} onAccept={accept} />
      ) : null}
      {open === "saved" ? (
        <Suspense fallback={null}>
          <SavedFilters filter={applied} onUse={(name) => (applyFilter(`@${name}`), setOpen(""), enterView())} onLeave={leave} />
        </Suspense>
      ) : null}
      {asking ? (
        <Suspense fallback={null}>
          <ConfirmCommand {...asking} onCancel={() => (setAsking(null), input.current.focus())} onConfirm={() => command(asking.line, true)} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Filters applied before, newest first, to be walked with the arrows in an empty line. */
function usePast(open) {
  const lines = useRef([]);
  const place = useRef(-1);
  const shown = useRef("");
  const asking = useRef(null);
  useEffect(() => {
    if (open !== "line") return;
    place.current = -1;
    asking.current = ask("GET", "/filters").then(
      ({ history }) => (lines.current = [...new Set([...lines.current.filter((line) => line.includes(":")), ...history])]),
      () => {}, // without it there is nothing to walk
    );
  }, [open]);
  return {
    add: (line) => line && (lines.current = [line, ...lines.current.filter((other) => other !== line)]),
    rest: () => (place.current = -1),
    /** Whether arrows mean the past: in an empty line, and in one that came from there. */
    walks: (line) => !line || (place.current >= 0 && line === shown.current),
    async step(direction, line, write) {
      await asking.current; // a key may be faster than the answer
      const next = Math.min(place.current + direction, lines.current.length - 1);
      if (next < -1 || next === place.current) return;
      place.current = next;
      shown.current = lines.current[next] ?? "";
      write(shown.current);
    },
  };
}

/** In place of the pairs when the filter selects none: why, and the way back. */
export function NothingFound({ otherwise }) {
  const { view } = useLive();
  if (!view?.filter) return otherwise;
  return (
    <div className="nothing-found">
      <p>No pair here matches the filter: {view.sentence}.</p>
      {view.notices?.map((notice) => <p key={notice} className="filter-notice">{notice}</p>)}
      <button type="button" onClick={() => applyFilter("")}>Show all pairs</button>
    </div>
  );
}

const Funnel = () => (
  <svg className="funnel" viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 3.5h11L9.4 8.4v4.1l-2.8-1.4V8.4z" /></svg>
);
