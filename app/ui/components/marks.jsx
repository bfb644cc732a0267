/**
 * The marks in a pair's line: topic, stars, flag, in or out, its size, and the way to delete it.
 *
 * Marks that are set always show, the others when a pointer or the cursor is at the pair.
 */
import { memo, useSyncExternalStore } from "react";
import { cycleMark, star, toggleFlag } from "./marks.js";
import { askDelete, askTopic } from "./dialogs.js";
import { ForkMark } from "./fork_mark.jsx";
import { freshPairId, subscribeFresh } from "./overflow.js";

const STAR = "m8 1.8 1.9 4 4.4.5-3.3 3 .9 4.3L8 11.5l-3.9 2.1.9-4.3-3.3-3 4.4-.5z";
const FLAG = "M3.5 14.5v-12h8.8L10 5.7l2.3 3.3H3.5";
const BIN = "M2.8 4.3h10.4M6.3 4V2.6h3.4V4M4.2 4.6l.6 8.8h6.4l.6-8.8M6.7 7v4M9.3 7v4";
const STARS = [1, 2, 3];

const Icon = ({ path, filled }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true" fill={filled ? "currentColor" : "none"} stroke="currentColor" strokeWidth="1.3" strokeLinejoin="round" strokeLinecap="round">
    <path d={path} />
  </svg>
);

export const TopicMark = memo(function TopicMark({ pair }) {
  return (
    <button type="button" className="mark topic" data-set={Boolean(pair.topic) || undefined} title={pair.topic ? `Topic: ${pair.topic}` : "File under a topic"} aria-label={`Topic: ${pair.topic ?? "none"}`} onClick={({ currentTarget }) => askTopic(pair, currentTarget)}>
      {pair.topic ?? "Topic"}
    </button>
  );
});

export const Marks = memo(function Marks({ pair }) {
  return (
    <span className="marks">
      <span role="group" aria-label={`Stars: ${pair.stars}`} className="stars" data-set={pair.stars > 0 || undefined}>
        {STARS.map((count) => (
          <button key={count} type="button" className="mark" aria-pressed={pair.stars === count} aria-label={`${count} ${count === 1 ? "star" : "stars"}`} title={`${count} ${count === 1 ? "star" : "stars"}`} onClick={() => star(pair, count)}>
            <Icon path={STAR} filled={pair.stars >= count} />
          </button>
        ))}
      </span>
      <button type="button" className="mark" data-set={pair.flagged || undefined} aria-pressed={pair.flagged} aria-label="Flag" title={pair.flagged ? "Flagged" : "Flag"} onClick={() => toggleFlag(pair)}>
        <Icon path={FLAG} filled={pair.flagged} />
      </button>
      <button type="button" className="mark in-out" data-set={Boolean(pair.mark) || undefined} aria-label={`Mark: ${pair.mark ?? "none"}`} title="Marked in, out or neither, for filters to use" onClick={() => cycleMark(pair)}>
        {pair.mark ?? "in/out"}
      </button>
      <ForkMark pair={pair} />
      <button type="button" className="mark" aria-label="Delete the pair" title="Delete" onClick={() => askDelete(pair)}>
        <Icon path={BIN} />
      </button>
    </span>
  );
});

const nobody = () => "";

/** Stands at the first part of a reply that grew out of sight while somebody typed. */
export function NewBadge({ pairId }) {
  const isNew = useSyncExternalStore(subscribeFresh, () => freshPairId() === pairId, nobody);
  return isNew ? <span className="new-badge">New</span> : null;
}
