/** A search field and its list. Arrow keys move through the rows in a circle. Enter chooses the highlighted row. */
import { type KeyboardEvent, type ReactNode, useLayoutEffect } from "react";

interface SearchListProps {
  /** The id of the list; a row's id is this with "-" and its index. */
  readonly id: string;
  readonly role: "listbox" | "tree";
  readonly label: string;
  readonly listLabel: string;
  readonly placeholder: string;
  readonly className: string;
  /** The number of rows, and the index of the highlighted one. */
  readonly count: number;
  readonly at: number;
  readonly onType: (text: string) => void;
  readonly onPoint: (at: number) => void;
  readonly onEnter: () => void;
  readonly children: ReactNode;
  /** The content below the list, which is scrolled with it. */
  readonly below?: ReactNode;
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
    else if (!event.repeat) onEnter();
    event.preventDefault();
    event.stopPropagation();
  };
  const list = (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have it
    <div id={id} role={role} aria-label={props.listLabel} className={props.className}>
      {props.children}
    </div>
  );
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
      {props.below ? (
        <div className="option-scroll">
          {list}
          {props.below}
        </div>
      ) : (
        list
      )}
    </>
  );
}
