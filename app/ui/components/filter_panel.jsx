/** Below the filter's line while it is typed: what it says, what is wrong and where, what could come next. */
import { useEffect, useRef } from "react";

export function FilterPanel({ line, feedback, said, error, at, onPoint, onAccept }) {
  const list = useRef(null);
  const suggestions = feedback.line === line ? (feedback.completion?.suggestions ?? []) : [];
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    // A press here leaves the focus in the line.
    <div className="filter-panel" onPointerDown={(event) => event.preventDefault()}>
      <div className="filter-says" id="filter-says" role="status" aria-live="polite">
        <Says line={line} feedback={feedback} said={said} error={error} />
      </div>
      <ul className="filter-list" id="filter-suggestions" role="listbox" aria-label="Suggestions" ref={list} hidden={!suggestions.length}>
        {suggestions.map(({ text, means }, index) => (
          <li
            key={text}
            id={`filter-suggestion-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => onPoint(index)}
            onClick={() => onAccept({ text, means })}
          >
            <code>{text}</code>
            <span>{means}</span>
          </li>
        ))}
      </ul>
      <p className="filter-keys" aria-hidden="true">
        <kbd>Enter</kbd> apply <kbd>Tab</kbd> complete <kbd>Esc</kbd> leave <kbd>↑</kbd> earlier ones, in an empty line
      </p>
    </div>
  );
}

function Says({ line, feedback, said, error }) {
  if (said) return <p className={said.refused ? "filter-wrong" : undefined}>{said.message}</p>;
  if (error) return <Wrong line={line} error={error} />;
  const { sentence, command, notices = [] } = feedback;
  if (!line.trim()) return <p>Which pairs are in view, and so are sent. Empty: all pairs.</p>;
  if (!sentence && !command) return <p>…</p>;
  return (
    <>
      <p>
        {command ? <strong>{capital(command.what ?? command.name)}: </strong> : null}
        {sentence}
      </p>
      {notices.map((notice) => <p key={notice} className="filter-notice">{notice}</p>)}
    </>
  );
}

/** The line with a caret under the place that could not be read, and words on what was expected there. */
function Wrong({ line, error }) {
  const characters = [...line];
  const place = error.position;
  const end = place === null ? 0 : place + Math.max(1, [...(error.found ?? "")].length);
  return (
    <>
      {place === null ? null : (
        <pre className="filter-place" aria-hidden="true">
          {characters.slice(0, place).join("")}
          <mark>{characters.slice(place, end).join("") || " "}</mark>
          {characters.slice(end).join("")}
        </pre>
      )}
      <p className="filter-wrong">
        {error.message}
        {place === null ? null : <span className="unseen"> At character {place + 1}.</span>}
      </p>
    </>
  );
}

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
