/** Asked before a fork where a filter hides pairs: all of them, or those in view. Fetched when it is first needed. */
import { closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";

export default function ForkChoice({ pair, sentence, onChoose }) {
  const upTo = pair ? ` up to pair ${pair.position}` : "";
  return (
    <Dialog label="Which pairs should the fork have?" className="modal over-budget" onClose={closeDialog}>
      <h2 className="dialog-title">Which pairs should the fork have?</h2>
      <p className="dialog-words">A fork is a new conversation with copies of pairs; this one stays as it is.</p>
      <div className="ways">
        <button type="button" data-first onClick={() => onChoose("seen")}>
          <span className="way-name">Those in view{upTo}</span>
          <span className="way-note">{sentence}</span>
        </button>
        <button type="button" onClick={() => onChoose("all")}>
          <span className="way-name">All pairs{upTo}</span>
          <span className="way-note">Also those that the filter hides</span>
        </button>
      </div>
      <div className="dialog-buttons">
        <button type="button" onClick={closeDialog}>Cancel</button>
      </div>
    </Dialog>
  );
}
