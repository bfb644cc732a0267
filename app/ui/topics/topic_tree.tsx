/**
 * The search field and the tree of the topic picker. A row can be dragged to another one.
 *
 * Python decides which rows match the typed text, and the effect of a choice.
 */
import { type DragEvent, type ReactNode, useId, useRef, useState } from "react";
import { SearchList } from "../kit/controls/search_list.tsx";
import type { TopicTreeProps, TopicTreeRow } from "./views.ts";

type DropPlace = "before" | "into" | "after";

const SEPARATOR = " > "; // between the names of a path
const EDGE = 0.3; // of a row's height: a drop there goes before or after the row, if topics are ordered by hand

export function TopicTree(props: TopicTreeProps): ReactNode {
  const { rows, query, start, label, placeholder, byHand } = props;
  const id = useId();
  const [typed, setTyped] = useState("");
  const [pointed, setPointed] = useState(start);
  const [target, setTarget] = useState<{ row: TopicTreeRow; place: DropPlace } | null>(null);
  const dragged = useRef<TopicTreeRow | null>(null);
  const at = Math.min(pointed, Math.max(rows.length - 1, 0));

  const search = (text: string) => {
    setTyped(text);
    setPointed(0);
    props.onSearch?.(text);
  };
  const hover = (event: DragEvent<HTMLElement>, row: TopicTreeRow) => {
    const moved = dragged.current;
    if (!row.id || !moved || `${row.path}${SEPARATOR}`.startsWith(`${moved.path}${SEPARATOR}`)) return;
    event.preventDefault();
    const place = byHand ? placeIn(event.currentTarget.getBoundingClientRect(), event.clientY) : "into";
    if (target?.row !== row || target.place !== place) setTarget({ row, place });
  };
  const drop = () => {
    if (dragged.current && target) props.onDrop?.(dragged.current.id, target.row.id, target.place);
    setTarget(null);
  };

  return (
    <SearchList
      {...{ id, label, placeholder, at }}
      role="tree"
      listLabel={props.treeLabel}
      className="topic-list"
      count={rows.length}
      onType={search}
      onPoint={setPointed}
      onEnter={() => props.onChoose?.(typed, typed === query ? at : 0)}
    >
      {rows.map((row, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
        <div
          key={row.id || row.label}
          id={`${id}-${place}`}
          role="treeitem"
          tabIndex={-1}
          className="topic-row"
          aria-level={row.depth + 1}
          aria-selected={row.chosen}
          aria-label={row.label}
          data-at={at === place || undefined}
          data-target={target?.row === row ? target.place : undefined}
          style={{ ["--depth" as string]: row.depth }}
          draggable={Boolean(row.id) && !query}
          onDragStart={() => {
            dragged.current = row;
          }}
          onDragEnd={() => setTarget(null)}
          onDragOver={(event) => hover(event, row)}
          onDrop={drop}
          onPointerMove={() => setPointed(place)}
          onClick={() => props.onChoose?.(query, place)}
        >
          <span className="name" dir="auto">
            {row.name}
          </span>
          {row.change ? (
            <>
              <small title={row.count_title}>{row.count}</small>
              <button
                type="button"
                className="change"
                tabIndex={at === place ? 0 : -1}
                aria-label={row.change}
                title={props.changeTitle}
                onClick={(event) => {
                  event.stopPropagation();
                  props.onEdit?.(row.id);
                }}
              >
                {props.changeSign}
              </button>
            </>
          ) : null}
        </div>
      ))}
    </SearchList>
  );
}

function placeIn({ top, height }: DOMRect, y: number): DropPlace {
  const share = (y - top) / height;
  return share < EDGE ? "before" : share > 1 - EDGE ? "after" : "into";
}
