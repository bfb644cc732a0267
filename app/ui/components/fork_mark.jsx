/** What a pair and the head of a conversation show of branches: the way to fork, how many leave here, where it came from. */
import { memo, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { fork, forksAt, subscribeBranches } from "./branches.js";
import { plural } from "./figures.js";
import { inspect } from "./inspect.js";

const none = () => 0;

export const ForkIcon = () => (
  <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" strokeLinejoin="round">
    <circle cx="4.5" cy="3.3" r="1.5" /><circle cx="4.5" cy="12.7" r="1.5" /><circle cx="11.5" cy="5.3" r="1.5" /><path d="M4.5 4.8v6.4m7-4.4c0 2.2-2.6 2.4-4.6 2.9-1.6.4-2.4.8-2.4 1.5" />
  </svg>
);

export const ForkMark = memo(function ForkMark({ pair }) {
  const count = useSyncExternalStore(subscribeBranches, () => forksAt(pair.id).length, none);
  return (
    <>
      <button type="button" className="mark" aria-label="Fork from here" title="Fork from here: a new conversation with the pairs up to this one" onClick={() => fork(pair)}>
        <ForkIcon />
      </button>
      {count ? (
        <button type="button" className="mark forks" data-set aria-label={`${plural(count, "fork")} from here. Show the branches`} title={`${plural(count, "fork")} from here`} onClick={() => inspect("branches")}>
          {plural(count, "fork")}
        </button>
      ) : null}
    </>
  );
});

/** At the head of a fork, or of what was derived: the conversation it came from, if that is still there. */
export function ForkedFrom({ parent, name, position, derived }) {
  if (!parent) return null;
  const origin = <Link to={`/c/${parent}`} dir="auto">{name || "a conversation without a title"}</Link>;
  if (derived) {
    return (
      <p className="forked-from">
        <ForkIcon />
        <span>Made for {origin}{position ? `, pair ${position}` : ""}</span>
        <button type="button" onClick={() => inspect("lineage")}>Lineage</button>
      </p>
    );
  }
  return (
    <p className="forked-from">
      <ForkIcon />
      <span>
        Forked from {origin}
        {position ? `, after pair ${position}` : ""}
      </span>
      <button type="button" onClick={() => inspect("branches")}>All branches</button>
    </p>
  );
}
