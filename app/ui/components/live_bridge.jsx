/** Fills the mirror of the states (live.js) for the scripts that are not Python yet, and carries their wishes back. */
import { useContext, useLayoutEffect, useMemo } from "react";
import { EventLoopContext } from "$/utils/context";
import { useConversation } from "./history.jsx";
import { mirror, open } from "./live.js";

export function LiveBridge(props) {
  const { conversation, known, gone, pairs, earlier, later, running, ended, retry, progress, changes } = props;
  const { filter, description, notices, refusal, topic, asOf, estimate, model, x, y, boundary, boundaryReason, tools, prelude, secrets } = props;
  const { comparison } = props;
  const here = useConversation();
  useLayoutEffect(() => open(here), [here]);
  const [, connectErrors] = useContext(EventLoopContext);
  const link = gone ? "gone" : connectErrors.length ? "lost" : known ? "open" : "connecting";
  const view = useMemo(() => {
    if (!known) return null;
    const error = refusal && { ...refusal, position: refusal.position < 0 ? null : refusal.position };
    if (!estimate) return error ? { estimate: null, error } : null;
    return { filter, sentence: description, notices, topic: topic || null, as_of: asOf, estimate, model, x, y, boundary: boundary < 0 ? null : boundary, boundary_reason: boundaryReason, tools, prelude, secrets, error };
  }, [known, filter, description, notices, refusal, topic, asOf, estimate, model, x, y, boundary, boundaryReason, tools, prelude, secrets]);
  const counting = useMemo(() => retry && { ...retry, class: retry.error_class, at: performance.now() + retry.seconds * 1000 }, [retry]);
  const shown = useMemo(() => pairs.map(asMirrored), [pairs]);
  useLayoutEffect(() => {
    const now = { id: conversation, link, pairs: shown, older: earlier, newer: later, running, ended, retry: counting, progress, view, comparison, conversation: changes };
    mirror(now, { earlier: props.onEarlier, later: props.onLater, newest: props.onNewest, position: props.onPosition, stars: props.onStars, flag: props.onFlag, cycle: props.onCycle, answerAgain: props.onAnswerAgain });
  }, [conversation, link, shown, earlier, later, running, ended, counting, progress, view, comparison, changes, here]);
  return null;
}

const mirrored = new WeakMap();

/** The older scripts know a failure by its `class`. */
function asMirrored(pair) {
  if (!pair.error) return pair;
  if (!mirrored.has(pair)) mirrored.set(pair, { ...pair, error: { ...pair.error, class: pair.error.error_class } });
  return mirrored.get(pair);
}
