/** A field and the list that is searched in it: arrows walk its rows and meet at the ends, Enter takes the one pointed at. */
import { type KeyboardEvent, type ReactNode, useLayoutEffect } from "react";

interface SearchListProps {
  /** Of the list; that of a row is this with "-" and its place. */
  readonly id: string;
  readonly role: "listbox" | "tree";
  readonly label: string;
  readonly listLabel: string;
  readonly placeholder: string;
  readonly className: string;
  /** How many rows can be pointed at, and which one is. */
  readonly count: number;
  readonly at: number;
  readonly onType: (text: string) => void;
  readonly onPoint: (at: number) => void;
  readonly onEnter: (event: KeyboardEvent) => void;
  readonly children: ReactNode;
}

export function SearchList(props: SearchListProps): ReactNode {
  const { id, role, label, count, at, onType, onPoint, onEnter } = props;
  const pointed = count ? `${id}-${at}` : undefined;
  useLayoutEffect(() => {
    if (pointed) document.getElementById(pointed)?.scrollIntoView({ block: "nearest" });
  }, [pointed]);
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) onPoint((at + step + count) % count);
    else if (event.key !== "Enter") return;
    else if (!event.repeat) onEnter(event);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        type="text"
        data-first=""
        placeholder={props.placeholder}
        aria-label={label}
        role="combobox"
        aria-expanded="true"
        aria-haspopup={role}
        aria-controls={id}
        aria-activedescendant={pointed}
        autoComplete="off"
        maxLength={1000}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
        onKeyDown={pressed}
      />
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have it */}
      <div id={id} role={role} aria-label={props.listLabel} className={props.className}>
        {props.children}
      </div>
    </>
  );
}
