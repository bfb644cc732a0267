/**
 * An accounting node: a thin rule that says why messages left the history here, and what had been spent by then.
 *
 * Several at one place are one line, the newest; the others unfold.
 */
import { useState } from "react";
import { number } from "./figures.js";
import { Moment } from "./shell.jsx";

export function Accounting({ nodes }) {
  const [open, setOpen] = useState(false);
  const earlier = nodes.length - 1;
  return (
    <aside className="accounting" aria-label="What was spent, never sent">
      {(open ? nodes : nodes.slice(-1)).map((node) => (
        <p key={node.id}>
          <span>{node.words}</span>
          <span title="All tokens of this conversation up to then, as the providers counted them">{spent(node.usage)}</span>
          <Moment at={node.created_at} />
        </p>
      ))}
      {earlier ? (
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show the newest alone" : `and ${earlier} earlier`}
        </button>
      ) : null}
    </aside>
  );
}

function spent({ input_tokens: fresh, cache_read_tokens: read, cache_write_tokens: written, output_tokens: out }) {
  const cached = read ? `, ${number(read)} of it from cache` : "";
  return `So far ${number(fresh + read + written)} in${cached} · ${number(out)} out`;
}

/** Nodes as they stand, those of accounting that follow each other together: [[node, node], [other]]. */
export function together(nodes) {
  const groups = [];
  for (const node of nodes) {
    if (node.role === "accounting" && groups.at(-1)?.[0].role === "accounting") groups.at(-1).push(node);
    else groups.push([node]);
  }
  return groups;
}
