/** Asks before a pair that has a reply is deleted. */
import { closeDialog, confirmDelete } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";

export function DeletePair({ pair }) {
  return (
    <Dialog label="Delete this pair?" className="modal" onClose={closeDialog}>
      <h2 className="dialog-title">Delete this pair?</h2>
      <p className="dialog-words">
        Pair {pair.position}, “{shortened(pair.user_text)}”, and its reply will be in no request and no list. It can be brought back with Undo, or from the trash.
      </p>
      <div className="dialog-buttons">
        <button type="button" className="quiet" onClick={closeDialog}>Keep it</button>
        <button type="button" className="danger" data-first onClick={() => confirmDelete(pair)}>Delete</button>
      </div>
    </Dialog>
  );
}

const shortened = (text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
