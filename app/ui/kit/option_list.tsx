/** A search field and the options that have all words typed, in their groups. With `answers`, Python finds them. */
import { createElement, type ElementType, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link } from "react-router";
import { fitting, grouped } from "./options.ts";
import { SearchList } from "./search_list.tsx";
import type { OptionListProps, OptionRow } from "./views.ts";

export function OptionList(props: OptionListProps): ReactNode {
  const { rows, answers, label, listLabel, placeholder, chosen, most = Infinity, className = "option-list" } = props;
  const id = useId();
  const [typed, setTyped] = useState("");
  const [pointed, point] = useState<string>(); // by its value: rows may still come
  const entered = useRef<MouseEventInit>(undefined); // Enter, pressed perhaps before the rows for what is typed are here
  const fit = answers === undefined ? fitting(rows, typed) : rows;
  const groups = grouped(fit.slice(0, most));
  const usable = groups.flat().filter((row) => row.name && row.usable);
  const isPointed = (row: OptionRow) =>
    pointed === undefined && !typed ? row.value === chosen : row.value === pointed;
  const at = Math.max(0, usable.findIndex(isPointed));
  const type = (text: string) => {
    setTyped(text);
    point(undefined);
    entered.current = undefined;
    props.onType?.(text);
  };
  const take = () => {
    if (!entered.current || (answers ?? typed) !== typed) return;
    document.getElementById(`${id}-${at}`)?.dispatchEvent(new MouseEvent("click", entered.current));
    entered.current = undefined;
  };
  useEffect(take);
  const option = (row: OptionRow) => {
    const drawn = {
      to: row.to || undefined,
      id: row.usable ? `${id}-${usable.indexOf(row)}` : undefined,
      role: "option",
      tabIndex: -1,
      "aria-selected": usable[at] === row,
      "aria-disabled": !row.usable,
      "data-chosen": row.value === chosen || undefined,
      "data-close": props.closes && row.usable ? "" : undefined,
      onPointerMove: () => row.usable && point(row.value),
      onClick: () => row.usable && !row.to && row.value !== chosen && props.onChoose?.(row.value),
    };
    const excerpt = row.excerpt.map(({ text, found }) => (found ? createElement("mark", null, text) : text));
    const Row: ElementType = row.to ? Link : "div";
    return (
      <Row key={row.value} {...drawn}>
        <span>{row.name}</span>
        <small>{row.note}</small>
        {excerpt.length ? createElement("p", { className: "list-excerpt" }, ...excerpt) : null}
      </Row>
    );
  };
  return (
    <SearchList
      {...{ id, label, listLabel, placeholder, className, at }}
      role="listbox"
      count={usable.length}
      onType={type}
      onPoint={(place) => point(usable[place]?.value)}
      onEnter={({ ctrlKey, metaKey }) => {
        entered.current = { bubbles: true, cancelable: true, ctrlKey, metaKey };
        take();
      }}
    >
      {fit.length ? null : <p className="picker-none">{props.none}</p>}
      {groups.map(([first, ...others]) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div key={first.group} role="group" aria-label={first.group || undefined}>
          {first.group ? <p className="picker-group">{first.group}</p> : null}
          {first.group_note ? <p className="picker-note">{first.group_note}</p> : null}
          {first.name ? [first, ...others].map(option) : null}
        </div>
      ))}
      {fit.length > most ? (
        <p className="picker-note">{props.more?.replace("{count}", fit.length.toLocaleString())}</p>
      ) : null}
    </SearchList>
  );
}
