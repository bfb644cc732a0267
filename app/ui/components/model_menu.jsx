/**
 * The menu of models that could answer a pair again: its own first, so that Enter is enough; several at once.
 *
 * Fetched when it first opens; the two models that are known come at once, the others when the providers have answered.
 */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { ask } from "./api.js";
import { askModels, closeDialog } from "./dialogs.js";
import { Dialog } from "./dialog.jsx";
import { modelHere, states } from "./live.js";
import { placeAt } from "./placing.js";

const SEVERAL = ""; // no model is called that

export default function ModelMenu({ pair, anchor }) {
  const { models, said } = useModels();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef(null);
  const id = useId();
  const options = useMemo(() => optionsOf(pair, models, query), [pair, models, query]);
  useLayoutEffect(() => {
    list.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" });
  }, [at, options]);
  const choose = ({ model }) => {
    if (model === SEVERAL) return askModels(pair);
    closeDialog();
    return states().answerAgain(pair.id, model);
  };
  const pressed = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) setAt((at + step + options.length) % options.length);
    else if (event.key === "Enter" && options[at]) event.repeat || choose(options[at]);
    else return;
    event.preventDefault();
  };
  const label = `Answer pair ${pair.position} again`;
  return (
    <Dialog label={label} className="popup topics" style={placeAt(anchor ?? document.querySelector(`[data-pair="${CSS.escape(pair.id)}"] .again`))} onClose={closeDialog}>
      <input
        type="text"
        data-first
        value={query}
        placeholder="Answer again by…"
        aria-label={label}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={options[at] && `${id}-${at}`}
        autoComplete="off"
        onChange={({ target }) => {
          setQuery(target.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      <div className="topic-list" id={id} role="listbox" aria-label="Models" ref={list}>
        {options.length ? null : <p className="picker-none">No model is called that.</p>}
        {options.map(({ model, name, note }, place) => (
          <div key={model} id={`${id}-${place}`} className="topic-row" role="option" aria-selected={place === at} data-at={place === at || undefined} onPointerMove={() => setAt(place)} onClick={() => choose({ model })}>
            <span className="name">{name}</span>
            <small>{note}</small>
          </div>
        ))}
      </div>
      <p className="topic-foot" role="status">{said || "The pairs in view above it go along; what stands here stays as a version."}</p>
    </Dialog>
  );
}

function useModels() {
  const [state, setState] = useState({ models: [], said: "Asking the providers for their models…" });
  useEffect(() => {
    let wanted = true;
    ask("GET", "/models").then(
      ({ items }) => wanted && setState({ models: items, said: "" }),
      ({ message }) => wanted && setState({ models: [], said: message }),
    );
    return () => (wanted = false);
  }, []);
  return state;
}

/** Its own model, the one chosen in the composer, several, then all others: what is there at once does not move. */
function optionsOf(pair, models, query) {
  const first = [...new Set([pair.model, modelHere()].filter(Boolean))];
  const known = new Map(models.map((one) => [one.model, one]));
  const nameOf = (model) => known.get(model)?.name ?? model;
  const notes = { [SEVERAL]: "compare", [modelHere()]: "chosen below", [pair.model]: "as before" };
  const several = { model: SEVERAL, name: "Several, side by side…" };
  const all = [...first.map((model) => ({ model, name: nameOf(model) })), several, ...models.filter(({ model }) => !first.includes(model))];
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all
    .filter(({ model, name }) => words.every((word) => `${name} ${model}`.toLowerCase().includes(word)))
    .map(({ model, name }) => ({ model, name, note: notes[model] ?? model.split(":")[0] }));
}
