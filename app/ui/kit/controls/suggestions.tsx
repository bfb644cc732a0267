/** The list of completions of a field. The arrow keys of the field move through it; the field keeps the focus. */
import { type ReactNode, useEffect, useRef } from "react";

interface Suggestion {
  readonly text: string;
  readonly means: string;
  readonly source?: string;
}

interface Props<Row> {
  readonly id: string; // of the list; a row's id is this with "-" and its index
  readonly label: string;
  readonly of: readonly Row[];
  readonly at: number;
  readonly onPoint: (index: number) => void;
  readonly onTake: (row: Row) => void;
}

export function Suggestions<Row extends Suggestion>({ id, label, of, at, onPoint, onTake }: Props<Row>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div className="suggestions" id={id} role="listbox" aria-label={label} ref={list} hidden={!of.length}>
      {of.map((row, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
        <div
          key={`${row.text} ${row.source}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerMove={() => onPoint(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(row)}
        >
          <code>{row.text}</code>
          <span>{row.means}</span>
          {row.source ? <small>{row.source}</small> : null}
        </div>
      ))}
    </div>
  );
}
