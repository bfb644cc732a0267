/**
 * A menu of models or agents: a button that opens a searchable list.
 *
 * Not specific to either: `groups` is [{name, note, items: [{value, name, note, usable}]}], a group's note says what to do, `noun` what there is to find.
 * Arrow keys walk, Enter chooses, Escape closes and gives the focus back.
 */
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useConversation } from "./history.jsx";

export function Picker({ groups = [], value, name: lastName, chosenIn, looking, onOpen, onChoose, label, noun = "model", children }) {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const place = useRef(null);
  const button = useRef(null);
  const list = useRef(null);
  const id = useId();
  const conversation = useConversation();
  const name = chosenIn === undefined || chosenIn === conversation ? lastName : ""; // what is chosen here is on its way
  const found = useMemo(() => matching(groups, query), [groups, query]);
  const usable = found.flatMap(({ items }) => items).filter((item) => item.usable);

  useEffect(() => {
    if (!open) return undefined;
    setQuery("");
    onOpen?.();
    setAt(Math.max(0, usable.findIndex((item) => item.value === value)));
    const outside = (event) => !place.current?.contains(event.target) && setOpen(false);
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, open, query]);

  const close = () => {
    setOpen(false);
    button.current.focus();
  };
  const choose = (item) => {
    close();
    if (item.value !== value) onChoose?.(item.value);
  };
  const pressed = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && usable.length) setAt((at + step + usable.length) % usable.length);
    else if (event.key === "Enter" && usable[at]) choose(usable[at]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="picker" ref={place}>
      <button type="button" ref={button} className="picker-button" aria-haspopup="listbox" aria-expanded={open} aria-label={`${label}: ${name || "none chosen"}`} title={label} onClick={() => setOpen(!open)}>
        <span>{name || "\u00a0"}</span>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4.5 6.5 3.5 3.5 3.5-3.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" /></svg>
      </button>
      {open ? (
        <div className="picker-panel">
          <input
            type="text"
            autoFocus
            value={query}
            placeholder={`Search ${noun}s`}
            aria-label={`Search ${noun}s`}
            role="combobox"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={usable[at] && `${id}-${usable[at].value}`}
            onChange={({ target }) => {
              setQuery(target.value);
              setAt(0);
            }}
            onKeyDown={pressed}
          />
          <div className="picker-list" id={id} role="listbox" aria-label={label} ref={list}>
            {found.length ? null : <p className="picker-none">{looking || !query ? `Looking for ${noun}s…` : `No ${noun} is called that.`}</p>}
            {found.map((group) => (
              <div key={group.name} role="group" aria-label={group.name}>
                <p className="picker-group">{group.name}</p>
                {group.note ? <p className="picker-note">{group.note}</p> : null}
                {group.items.map((item) => (
                  <div
                    key={item.value}
                    id={`${id}-${item.value}`}
                    role="option"
                    aria-selected={usable[at]?.value === item.value}
                    aria-disabled={!item.usable}
                    data-chosen={item.value === value || undefined}
                    onPointerMove={() => item.usable && setAt(usable.indexOf(item))}
                    onClick={() => item.usable && choose(item)}
                  >
                    <span>{item.name}</span>
                    <small>{item.note}</small>
                  </div>
                ))}
              </div>
            ))}
          </div>
          {children}
        </div>
      ) : null}
    </div>
  );
}

function matching(groups, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (group, item) => words.every((word) => `${group.name} ${item.name} ${item.value}`.toLowerCase().includes(word));
  return groups
    .map((group) => ({ ...group, items: group.items.filter((item) => fits(group, item)) }))
    .filter((group) => group.items.length || (!words.length && group.note));
}
