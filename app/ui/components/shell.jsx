/** What a page tells of the conversation on screen, as the scripts know it: announcements, the dot of a reply, retries. */
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ask } from "./api.js";
import { useLive } from "./history.jsx";
import { pairOf, snapshot, subscribe } from "./live.js";
import { tellFault } from "./toasts.js";

const SETTLE_MS = 500; // the first words of a reply are more urgent than the name of its conversation

/** Tells screen readers, and nobody else, when a reply begins and ends; `onChanged`: what Python shows may be another. */
export function Announcer({ onChanged }) {
  const { running, ended, conversation, pairs, link } = useLive();
  const [said, setSaid] = useState("");
  const gone = link === "gone";
  const before = useRef({ running, conversation, gone });
  useEffect(() => {
    const was = before.current;
    before.current = { running, conversation, gone };
    if (was.running === running && was.conversation === conversation && was.gone === gone) return undefined;
    if (running && !was.running) setSaid("The reply has begun.");
    if (!running && was.running) {
      const pair = pairs.find(({ id }) => id === ended);
      if (pair) setSaid({ succeeded: "The reply is complete.", canceled: "The reply was stopped." }[pair.lifecycle] ?? `The reply failed. ${pair.error?.message ?? ""}`);
    }
    // The first words of a conversation are its name.
    const named = running && pairs.length < 2;
    if (was.conversation === conversation && was.gone === gone && !named) return undefined;
    const timer = setTimeout(() => onChanged?.(), running ? SETTLE_MS : 0);
    return () => clearTimeout(timer);
  }, [running, conversation, gone]);
  return <p className="unseen" role="status" aria-live="polite">{said}</p>;
}

/** The dot of a conversation in which a reply is on. Of the one on screen the page knows that itself. */
export function RunningDot({ conversation, running }) {
  const shown = useSyncExternalStore(
    subscribe,
    () => (snapshot().id === conversation && snapshot().link === "open" ? Boolean(snapshot().running) : running),
    () => running,
  );
  return shown ? <span className="dot flex-none" role="img" aria-label="A reply is running" /> : null;
}

/** While a provider is asked again: which attempt, and in how many seconds. */
export function Retry({ pairId }) {
  const { retry } = useLive();
  const [, tick] = useState(0);
  const mine = retry?.pair_id === pairId ? retry : null;
  useEffect(() => {
    if (!mine) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [mine]);
  if (!mine) return null;
  const seconds = Math.max(0, Math.ceil((mine.at - performance.now()) / 1000));
  const run = (what, { currentTarget }) => {
    currentTarget.closest("[data-pair]")?.querySelector("[data-part]").focus({ preventScroll: true }); // the buttons go, and the focus must not go with them
    ask("POST", `/runs/${pairOf(pairId).run_id}/${what}`).catch(tellFault);
  };
  return (
    <span className="retry">
      [error: {mine.class}] {mine.message} Trying again {seconds ? `in ${seconds} s` : "now"}.{" "}
      {seconds ? <button type="button" onClick={(event) => run("retry", event)}>Try now</button> : null}{" "}
      <button type="button" onClick={(event) => run("cancel", event)}>Stop trying</button>
    </span>
  );
}
