/**
 * The dialog before a send that does not fit: every way out with its tokens and price. Nothing is trimmed without it.
 *
 * Fetched when the server first refuses a send as over budget; the draft is back in its box by then. What is shown comes
 * from that refusal, so a way out that the server does not offer is not there. The focus begins at Cancel: an Enter too
 * many sends nothing. Arrows walk through the ways.
 */
import { useRef, useState } from "react";
import { money, number, plural } from "./figures.js";
import { Dialog } from "./dialog.jsx";

/** `problem`: the refusal. `onChoose({over_budget?, summarise?, model?, remember})`; `onCancel` for nothing at all. */
export default function OverBudget({ problem, onChoose, onCancel }) {
  const remember = useRef(null);
  const list = useRef(null);
  const [busy, setBusy] = useState(false);
  const { x, y, fit, force, summarise, larger } = problem;
  const choose = (choice) => {
    if (busy) return;
    setBusy(true);
    onChoose({ ...choice, remember: remember.current.checked });
  };
  const ways = [
    fit && { key: "fit", name: x ? `Send the ${plural(x, "pair")} that ${x === 1 ? "fits" : "fit"}` : "Send the draft alone", note: `Leaves out the ${number(y - x)} older in view, this time.`, of: fit, choice: { over_budget: "fit" } },
    force && { key: "force", name: `Send all ${number(y)} anyway`, note: "Passes your limit. The provider may refuse it.", of: force, choice: { over_budget: "force" } },
    summarise && { key: "summarise", name: "Summarise the older ones first", note: "The model reads them once more; its summary then stands for them, as a card you can edit or remove.", of: summarise, choice: { summarise: true } },
    ...[larger ?? []].flat().map((model) => ({ key: model.model, name: `Switch to ${model.name ?? model.model}`, note: `All ${number(y)} fit into its ${number(model.window ?? 0)} tokens.`, of: model, choice: { model: model.model } })),
  ].filter(Boolean);
  const walk = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.current.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[at < 0 ? (step > 0 ? 0 : buttons.length - 1) : (at + step + buttons.length) % buttons.length].focus();
  };
  return (
    <Dialog label="This does not fit" className="modal over-budget" onClose={onCancel}>
      <div onKeyDown={walk}>
        <h2 className="dialog-title">This does not fit</h2>
        <p className="dialog-words">
          {x ? `${number(x)} of the ${plural(y, "pair")} in view ${x === 1 ? "fits" : "fit"}.` : `None of the ${plural(y, "pair")} in view fits beside the draft.`} Nothing has been sent; your text is kept.
        </p>
        <div className="ways" ref={list}>
          {ways.map(({ key, name, note, of, choice }) => (
            <button key={key} type="button" disabled={busy} onClick={() => choose(choice)}>
              <span className="way-name">{name}</span>
              <span className="way-figures">~{number(of.tokens)} tokens · {money(of.cost)}</span>
              <span className="way-note">{note}</span>
            </button>
          ))}
        </div>
        <div className="dialog-buttons">
          <label className="remember">
            <input type="checkbox" ref={remember} /> Do this from now on <small>(for sending what fits, or all; Settings → Context)</small>
          </label>
          <button type="button" data-first onClick={onCancel}>Cancel</button>
        </div>
      </div>
    </Dialog>
  );
}
