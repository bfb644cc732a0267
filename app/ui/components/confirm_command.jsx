/** Asks before a command that cannot be taken back lightly. Fetched when one is given. */
import { Dialog } from "./dialog.jsx";

export default function ConfirmCommand({ line, message, onCancel, onConfirm }) {
  return (
    <Dialog label="Do this?" className="modal" onClose={onCancel}>
      <h2 className="dialog-title">Do this?</h2>
      <p className="dialog-words">{message}</p>
      <p className="dialog-words"><code>{line}</code></p>
      <div className="dialog-buttons">
        <button type="button" data-first onClick={onCancel}>Cancel</button>
        <button type="button" className="dangerous" onClick={onConfirm}>Go ahead</button>
      </div>
    </Dialog>
  );
}
