/**
 * What is kept back of what is sent: a mark at each pair.
 *
 * Not the settings of either (privacy_settings.jsx), nor finding secrets, which the server does.
 */
import { plural } from "./figures.js";
import { pairOf } from "./live.js";

const PLACES = { system: "in the system text", request: "in a request", reply: "in a reply", tool_call: "in the call of a tool", tool_result: "in what a tool answered" };

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
