/**
 * Which models a request is put to: two to four, those of last time ticked, the one chosen in the composer with them.
 *
 * Enter starts from anywhere, arrows walk the list, Space ticks.
 */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { Dialog } from "./dialog.jsx";

const LEAST = 2;
const MOST = 4;
const KEY = "inview.compared";

const LABEL = "Compare models";
const WORDS = "Two to four models answer side by side, each at its own price. You keep one reply; the others stay as versions of it.";

export default function CompareChoice({ model, label = LABEL, explained = WORDS, onStart, onCancel }) {
  const [models, setModels] = useState([]);
  const [said, setSaid] = useState("Asking the providers for their models…");
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(() => [...new Set([model, ...remembered()].filter(Boolean))].slice(0, MOST));
  const list = useRef(null);
  useEffect(() => {
    let wanted = true;
    ask("GET", "/models").then(
      ({ items }) => {
        if (!wanted) return;
        setModels(items);
        setSaid("");
        setChosen((before) => before.filter((one) => items.some((item) => item.model === one)));
      },
      ({ message }) => wanted && setSaid(message),
    );
    return () => (wanted = false);
  }, []);

  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((item) => words.every((word) => `${item.model} ${item.name}`.toLowerCase().includes(word)));
  const ready = chosen.length >= LEAST && chosen.length <= MOST;
  const toggle = (one) => setChosen(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]);
  const start = () => {
    if (!ready) return;
    localStorage.setItem(KEY, JSON.stringify(chosen));
    onStart(chosen);
  };
  const walk = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && event.target.type !== "button" && event.target.type !== "submit") start();
    else if (step) {
      const boxes = [...list.current.querySelectorAll("input:not(:disabled)")];
      const at = boxes.indexOf(event.target);
      boxes[at < 0 ? (step > 0 ? 0 : boxes.length - 1) : (at + step + boxes.length) % boxes.length]?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <Dialog label={label} className="modal compare-choice" onClose={onCancel}>
      <div onKeyDown={walk}>
        <h2 className="dialog-title">{label}</h2>
        <p className="dialog-words">{explained}</p>
        <input type="text" data-first value={query} placeholder="Search models" aria-label="Search models" autoComplete="off" onChange={({ target }) => setQuery(target.value)} />
        <div className="compare-models" role="group" aria-label="Models" ref={list}>
          {found.map(({ model: one, name, provider }) => (
            <label key={one}>
              <input type="checkbox" checked={chosen.includes(one)} disabled={!chosen.includes(one) && chosen.length >= MOST} onChange={() => toggle(one)} />
              <span>{name}</span> <small>{provider}</small>
            </label>
          ))}
          {found.length || said ? null : <p className="picker-none">No model is called that.</p>}
        </div>
        <p className="compare-said" role="status">{said || (ready ? `${chosen.length} chosen.` : `${chosen.length} chosen: choose ${LEAST} to ${MOST}.`)}</p>
        <div className="dialog-buttons">
          <button type="button" className="quiet" onClick={onCancel}>Cancel</button>
          <button type="button" className="loud" disabled={!ready} onClick={start}>Compare</button>
        </div>
      </div>
    </Dialog>
  );
}

function remembered() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
  } catch {
    return []; // somebody else wrote there
  }
}
