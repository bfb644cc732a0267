/**
 * The branches of a conversation as a tree to be walked: arrows move in it, Enter goes to a conversation.
 *
 * It stays while one goes from branch to branch, and so does the focus in it. What it knows is `branches.js`'s.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import { branches, fork, readBranches, serverBranches, subscribeBranches } from "./branches.js";
import { plural } from "./figures.js";
import { ForkIcon } from "./fork_mark.jsx";
import { useLive } from "./history.jsx";
import { Moment } from "./shell.jsx";

export default function Branches({ conversation }) {
  const { items, fault } = useSyncExternalStore(subscribeBranches, branches, serverBranches);
  const { running, view, pairs } = useLive();
  const [at, setAt] = useState(""); // where the focus is in the tree
  const tree = useRef(null);
  useEffect(() => {
    readBranches(conversation);
  }, [conversation, running]);
  const known = items.some(({ id }) => id === conversation);
  useEffect(() => {
    // Opened by a key: the inspector has the focus, and arrows are meant for the tree.
    if (known && document.activeElement?.id === "inspector") elementOf(conversation)?.focus();
  }, [known, conversation]);
  const elementOf = (id) => tree.current?.querySelector(`[data-branch="${CSS.escape(id)}"]`);
  const stop = items.some(({ id }) => id === at) ? at : conversation;
  const walk = (event) => {
    const next = WALKS[event.key]?.(items, items.findIndex(({ id }) => id === stop));
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    elementOf(next.id).focus();
  };
  if (fault && !known) {
    return (
      <div className="inspector-body">
        <p className="inspector-fault" role="alert">{fault}</p>
        <button type="button" className="quiet" onClick={() => readBranches(conversation)}>Try again</button>
      </div>
    );
  }
  if (!known) return <p className="inspector-note" role="status">Reading the branches…</p>;
  return (
    <div className="inspector-body">
      {items.length > 1 ? null : (
        <p className="inspector-note">
          No branches yet. A fork is a new conversation with copies of the pairs up to one of this conversation; <kbd>b</kbd> at a pair makes one there.
        </p>
      )}
      <div role="tree" aria-label="Branches" className="branches" ref={tree} onKeyDown={walk}>
        {items.map((item) => (
          <BranchLine key={item.id} item={item} current={item.id === conversation} tabIndex={item.id === stop ? 0 : -1} onFocus={() => setAt(item.id)} />
        ))}
      </div>
      {pairs.length ? (
        <div className="branches-foot">
          <button type="button" className="quiet" onClick={() => fork(null, "all")}>Fork all pairs</button>
          {view?.filter ? <button type="button" className="quiet" onClick={() => fork(null, "seen")}>Fork the {plural(view.y, "pair")} in view</button> : null}
        </div>
      ) : null}
    </div>
  );
}

function BranchLine({ item, current, tabIndex, onFocus }) {
  const { id, depth, title, snippet, pair_count, running, fork: from, updated_at } = item;
  return (
    <Link to={`/c/${id}`} role="treeitem" data-branch={id} aria-level={depth + 1} aria-current={current ? "page" : undefined} aria-selected={current} tabIndex={tabIndex} onFocus={onFocus} className="branch" style={{ "--depth": depth }}>
      <span className="branch-name">
        {depth ? <ForkIcon /> : null}
        {running ? <span className="dot" role="img" aria-label="A reply is running" /> : null}
        <span dir="auto">{title || "New conversation"}</span>
      </span>
      <span className="branch-about">
        {from ? <span>after pair {from.position}</span> : null}
        <span>{plural(pair_count, "pair")}</span>
        <Moment at={updated_at} />
        {snippet ? <span className="branch-snippet" dir="auto">{snippet}</span> : null}
      </span>
    </Link>
  );
}

const parentOf = (items, at) => items.slice(0, at).findLast(({ depth }) => depth === items[at].depth - 1);

const WALKS = {
  ArrowDown: (items, at) => items[at + 1],
  ArrowUp: (items, at) => items[at - 1],
  Home: (items) => items[0],
  End: (items) => items.at(-1),
  ArrowLeft: parentOf,
  ArrowRight: (items, at) => (items[at + 1]?.depth > items[at].depth ? items[at + 1] : undefined),
};
