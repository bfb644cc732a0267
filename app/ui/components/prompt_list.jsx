/**
 * The prompts of servers whose names fit a text that is "/" and a word so far. Not seen where there are none.
 *
 * The focus stays in the box. Arrows walk, Enter or Tab chooses, Escape leaves the text as it is; so does whatever is no name.
 */
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { loadServers, promptsOf } from "./insert_offers.js";

const MOST = 50;
const wordIn = (box) => /^\/(\S*)$/.exec(box.value)?.[1];

export default function PromptList({ area, agent, onChoose, onClose }) {
  const [offers, setOffers] = useState([]);
  const [word, setWord] = useState(() => wordIn(area.current) ?? "");
  const [at, setAt] = useState(0);
  const list = useRef(null);
  const id = useId();
  const found = useMemo(() => byName(offers, word).slice(0, MOST), [offers, word]);
  const chosen = found[at];

  useEffect(() => {
    let wanted = true;
    setWord(wordIn(area.current) ?? ""); // what was typed since it was first drawn
    loadServers(agent).then(
      (servers) => wanted && setOffers(servers.flatMap(promptsOf)),
      () => wanted && onClose(), // "/" is a text like any other
    );
    return () => (wanted = false);
  }, [agent]);

  useEffect(() => {
    const box = area.current;
    const typed = () => {
      const next = wordIn(box);
      if (next === undefined) return onClose();
      setWord(next);
      setAt(0);
    };
    const pressed = (event) => {
      if (!found.length || event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) setAt((at + step + found.length) % found.length);
      else if (event.key === "Escape") onClose();
      else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) onChoose({ server: chosen.server, prompt: chosen });
      else return;
      event.preventDefault();
      event.stopPropagation(); // before the composer, which would send
    };
    box.addEventListener("input", typed);
    box.addEventListener("keydown", pressed);
    box.addEventListener("blur", onClose);
    return () => {
      box.removeEventListener("input", typed);
      box.removeEventListener("keydown", pressed);
      box.removeEventListener("blur", onClose);
    };
  });

  useEffect(() => {
    const box = area.current;
    if (!chosen) return undefined;
    box.setAttribute("aria-controls", id);
    box.setAttribute("aria-activedescendant", `${id}-${at}`);
    list.current.children[at]?.scrollIntoView({ block: "nearest" });
    return () => {
      box.removeAttribute("aria-controls");
      box.removeAttribute("aria-activedescendant");
    };
  }, [area, chosen, at, id]);

  return (
    // A press here leaves the focus in the box.
    <div className="prompt-list" hidden={!found.length} onPointerDown={(event) => event.preventDefault()}>
      <ul id={id} ref={list} role="listbox" aria-label="Prompts of servers">
        {found.map((offer, index) => (
          <li key={`${offer.server.id} ${offer.key}`} id={`${id}-${index}`} role="option" aria-selected={index === at} onPointerMove={() => setAt(index)} onClick={() => onChoose({ server: offer.server, prompt: offer })}>
            <b>/{offer.key}</b>
            <span>{offer.about || offer.name}</span>
            <small>{offer.server.name}</small>
          </li>
        ))}
      </ul>
      <p className="unseen" role="status">{found.length ? `${found.length} ${found.length === 1 ? "prompt" : "prompts"}. Arrows choose, Enter takes one, Escape goes on writing.` : ""}</p>
    </div>
  );
}

/** Those that are called so, and first those whose names begin so. */
function byName(offers, word) {
  const typed = word.toLowerCase();
  const begins = ({ key }) => key.toLowerCase().startsWith(typed);
  const has = ({ key, name }) => `${key} ${name}`.toLowerCase().includes(typed);
  return [...offers.filter(begins), ...offers.filter((offer) => !begins(offer) && has(offer))];
}
