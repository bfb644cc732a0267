/** A search field and the options that contain all words typed, in their groups. */
import { type ReactNode, useId, useState } from "react";
import type { OptionListProps, OptionRow } from "../views.ts";
import { fitting, grouped } from "./options.ts";
import { SearchList } from "./search_list.tsx";

export function OptionList(props: OptionListProps): ReactNode {
  const { rows, label, listLabel, placeholder, chosen, most = Infinity, className = "option-list" } = props;
  const id = useId();
  const [typed, setTyped] = useState("");
  const [pointed, point] = useState<string>(); // the value of the highlighted row: rows may be added
  const fit = fitting(rows, typed);
  const groups = grouped(fit.slice(0, most));
  const usable = groups.flat().filter((row) => row.name && row.usable);
  const isPointed = (row: OptionRow) =>
    pointed === undefined && !typed ? row.value === chosen : row.value === pointed;
  const at = Math.max(0, usable.findIndex(isPointed));
  const type = (text: string) => {
    setTyped(text);
    point(undefined);
  };
  const option = (row: OptionRow) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
    <div
      key={row.value}
      id={row.usable ? `${id}-${usable.indexOf(row)}` : undefined}
      role="option"
      tabIndex={-1}
      aria-selected={usable[at] === row}
      aria-disabled={!row.usable}
      data-chosen={row.value === chosen || undefined}
      data-close={props.closes && row.usable ? "" : undefined}
      onPointerMove={() => row.usable && point(row.value)}
      onClick={() => row.usable && row.value !== chosen && props.onChoose?.(row.value)}
    >
      <span>{row.name}</span>
      <small>{row.note}</small>
    </div>
  );
  return (
    <SearchList
      {...{ id, label, listLabel, placeholder, className, at }}
      role="listbox"
      count={usable.length}
      onType={type}
      onPoint={(place) => point(usable[place]?.value)}
      onEnter={() => document.getElementById(`${id}-${at}`)?.click()}
      below={props.children}
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
