/**
 * What models are told of the person who writes: a card before the pairs, as it goes out; and what is kept back of what
 * is sent: a note at the composer, a mark at each pair.
 *
 * Not the settings of either (privacy_settings.jsx), nor finding secrets, which the server does.
 */
import { useEffect, useState } from "react";
import { ask } from "./api.js";
import { useConversation, useLive } from "./history.jsx";
import { plural } from "./figures.js";
import { pairOf } from "./live.js";
import { loadPreferences, preference } from "./preferences.js";

const PAUSE = 150; // ms

const PLACES = { system: "in the system text", request: "in a request", reply: "in a reply", tool_call: "in the call of a tool", tool_result: "in what a tool answered" };

/** Where there is no conversation yet, what its first send will begin with. */
export function PreludeCard() {
  const conversation = useConversation();
  const { id, view } = useLive();
  const [first, setFirst] = useState("");
  useEffect(() => {
    if (!conversation) ask("GET", "/preferences/prelude").then(({ text }) => setFirst(text ?? ""), () => {}); // the send says what is wrong
  }, [conversation]);
  const text = conversation ? (id === conversation ? view?.prelude : "") : first;
  if (!text) return null;
  return (
    <details className="card prelude" open={Boolean(conversation)}>
      <summary>About you</summary>
      <p dir="auto">{text}</p>
      <p className="prelude-foot"><a href="/settings#privacy">Change or switch off in Settings</a></p>
    </details>
  );
}

/** Secrets in the draft that go out as marks. In a new conversation nobody looks at it but this. */
export function KeptBack() {
  const conversation = useConversation();
  const { id, view } = useLive();
  const first = useFirstDraft(!conversation);
  const secrets = (conversation ? id === conversation && view?.secrets : first) || [];
  if (!secrets.length) return null;
  return (
    <p className="notice kept-back" role="status">
      Replaced before sending: {kinds(secrets.map((kind) => ({ kind, count: 1 })))}.{conversation ? " The preview shows what goes out." : ""}
    </p>
  );
}

/** The kinds of secrets in what is written where there is no conversation yet, a moment after the last key. */
function useFirstDraft(asks) {
  const [found, setFound] = useState([]);
  useEffect(() => {
    if (!asks) return;
    let waiting, newest = 0;
    loadPreferences().catch(() => {}); // as above
    const look = ({ target }) => {
      if (target.id !== "prompt") return;
      clearTimeout(waiting);
      const one = (newest += 1);
      const text = target.value;
      if (!preference("redact") || !text.trim()) return setFound([]);
      waiting = setTimeout(() => ask("POST", "/preferences/redaction", { text }).then(({ kinds }) => one === newest && setFound(kinds), () => {}), PAUSE); // the send says what is wrong
    };
    document.addEventListener("input", look);
    return () => (document.removeEventListener("input", look), clearTimeout(waiting));
  }, [asks]);
  return found;
}

/** At a pair: what of it goes out as marks now, and what did of the request that its reply answers. */
export function SecretMark({ secrets = [], redacted = [] }) {
  const told = redacted.length ? redacted : secrets;
  if (!told.length) return null;
  const sent = redacted.length ? `Replaced in what was sent for this reply: ${list(redacted)}.` : "";
  const now = secrets.length ? `Replaced when this pair is sent: ${list(secrets)}.` : "";
  const words = `${plural(total(told), "secret")} kept back`;
  return (
    <span className="kept-mark" role="note" tabIndex={0} title={[sent, now].filter(Boolean).join(" ")} aria-label={`${words}. ${sent} ${now}`}>
      {total(told)} kept back
    </span>
  );
}

const total = (told) => told.reduce((sum, { count }) => sum + count, 0);
const list = (told) => told.map((one) => `${kinds([one])} ${place(one)}`).join(", ");
const kinds = (told) => {
  const counts = new Map();
  for (const { kind, count } of told) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return [...counts].map(([kind, count]) => (count > 1 ? `${count} × ${kind}` : kind)).join(", ");
};

/** Where, in words; of a pair that is loaded, which. */
export function place({ place: where, pair_id }) {
  const position = pair_id && pairOf(pair_id)?.position;
  return `${PLACES[where] ?? where}${position ? ` (pair ${position})` : ""}`;
}
