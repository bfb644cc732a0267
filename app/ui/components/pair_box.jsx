/**
 * The frame of a pair in the history: whether it is sent and if not why, where sending begins, what a model cannot take.
 *
 * Not the pair, which Python writes and hands over as `draw`. All of this stands in the gap above the pair, which is
 * there anyway: a boundary that moves while one types moves nothing else.
 */
import { memo, useSyncExternalStore } from "react";
import { useIsEdited } from "./edit.jsx";
import { currentPairId, subscribeCursor } from "./walk.js";

const REASONS = { over_budget: "over budget", before_checkpoint: "before checkpoint", failed: "failed", filtered: "filtered" };
const MEANINGS = {
  over_budget: "It does not fit into the budget with the newer ones.",
  before_checkpoint: "The summary stands for it.",
  failed: "There is no reply to send.",
  filtered: "The filter leaves it out of what is sent.",
};
const nowhere = () => false;
const none = [];

/** `out`: why it is not sent, null if it is; `begins`: it is the first that the budget keeps. */
export const PairBox = memo(function PairBox({ pair, out, begins, draw }) {
  const current = useSyncExternalStore(subscribeCursor, () => currentPairId() === pair.id, nowhere);
  const edited = useIsEdited(pair.id);
  const lacks = pair.unsupported ?? none;
  return (
    <div data-pair={pair.id} data-current={current || undefined} data-edited={edited || undefined} data-out={out ?? undefined} className="pair-box">
      {begins || out || lacks.length ? (
        <div className="pair-notes" id={`notes-${pair.id}`}>
          {begins ? <p className="begins">From here on it is sent</p> : null}
          {lacks.map((words) => (
            <p key={words} className="lacks">{words}</p>
          ))}
          {out ? (
            <p className="out" title={MEANINGS[out]}>
              <b>OUT</b> {REASONS[out]}
            </p>
          ) : null}
        </div>
      ) : null}
      {draw(pair)}
    </div>
  );
});

/** Whether a pair is the first that the boundary keeps, where it leaves others out. */
export const beginsAt = (view, pair, before) =>
  view?.boundary != null && pair.position >= view.boundary && Boolean(before) && before.position < view.boundary;
