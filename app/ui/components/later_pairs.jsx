/**
 * The dialog before an earlier pair is sent again: what becomes of the pairs after it. Nothing is sent without a choice.
 *
 * Fetched when it is first needed. Arrows walk through the ways; the focus begins at the one that loses nothing.
 */
import { useRef } from "react";
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { plural } from "./figures.js";

const ALL = ["keep", "discard", "branch"];

export default function LaterPairs({ pair, count, ways = ALL, onChoose }) {
  const list = useRef(null);
  const one = count === 1;
  const later = `the ${plural(count, "later pair")}`;
  const said = {
    keep: [`Keep ${later}`, one ? "It stays as it is." : "They stay as they are."],
    discard: [`Discard ${later}`, one ? "It is in no request and no list; Undo brings it back." : "They are in no request and no list; Undo brings them back."],
    branch: ["Branch into a new conversation", "This one stays as it is. The new one has copies of the pairs above, and sends there."],
  };
  const walk = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.current.querySelectorAll("button")];
    buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus();
  };
  return (
    <Dialog label="What about the later pairs?" className="modal over-budget" onClose={closeDialog}>
      <h2 className="dialog-title">What about the later pairs?</h2>
      <p className="dialog-words">
        {plural(count, "pair")} {one ? "stands" : "stand"} after pair {pair.position}. What is sent are the pairs in view above it.
      </p>
      <div className="ways" ref={list} onKeyDown={walk}>
        {ways.map((way, at) => (
          <button key={way} type="button" data-first={at === 0 || undefined} onClick={() => onChoose(way)}>
            <span className="way-name">{said[way][0]}</span>
            <span className="way-note">{said[way][1]}</span>
          </button>
        ))}
      </div>
      <div className="dialog-buttons">
        <button type="button" onClick={closeDialog}>Cancel</button>
      </div>
    </Dialog>
  );
}
