/**
 * Keeping warm: the dialog before it, with the price of each refresh and of doing without, and the line while it is on.
 *
 * Not worked out here: the offer, and how it goes, are the server's (`GET …/cache`). What is asked for goes on there,
 * whether or not a page is looking.
 */
import { useState } from "react";
import { ask } from "./api.js";
import { Dialog } from "./dialog.jsx";
import { charged, money, number, plural } from "./figures.js";
import { looking } from "./live.js";
import { tellFault } from "./toasts.js";

/** What was asked for: until when, what it came to, and the way to end it. */
export function Kept({ conversation, kept, onChange }) {
  const stop = async () => {
    await ask("DELETE", `/conversations/${conversation}/keep-warm`).catch(tellFault);
    onChange();
  };
  const spent = kept.calls ? `${plural(kept.calls, "refresh", "refreshes")}, ${charged(kept)}` : "no refresh needed yet";
  if (kept.on) {
    return (
      <span className="kept-warm">
        Kept warm until {timeOf(kept.until)} · {spent} <button type="button" className="link" onClick={stop} aria-label="Stop keeping it warm">Stop</button>
      </span>
    );
  }
  return (
    <span className="kept-warm">
      No longer kept warm since {timeOf(kept.ended_at)}{kept.calls ? ` · ${spent}` : ""}. {kept.words}{" "}
      <button type="button" className="link" onClick={stop} aria-label="Put this note away">OK</button>
    </span>
  );
}

/** Asks for how long, at which price, or says why it cannot be done. */
export default function KeepWarm({ conversation, offer, onClose, onChange }) {
  const [said, setSaid] = useState("");
  const begin = async (minutes) => {
    const { filter, model, topic, zone } = looking();
    try {
      await ask("PUT", `/conversations/${conversation}/keep-warm`, { minutes, filter, model, topic, zone });
    } catch ({ message }) {
      return setSaid(message);
    }
    onChange();
    onClose();
  };
  const close = <div className="dialog-buttons"><button type="button" data-first={offer.why_not ? true : undefined} onClick={onClose}>{offer.why_not ? "Close" : "Cancel"}</button></div>;
  if (offer.why_not) {
    return (
      <Dialog label="This cannot be kept warm" className="modal over-budget" onClose={onClose}>
        <h2 className="dialog-title">This cannot be kept warm</h2>
        <p className="dialog-words">{offer.why_not}</p>
        {close}
      </Dialog>
    );
  }
  return (
    <Dialog label="Keep it warm for how long?" className="modal over-budget" onClose={onClose}>
      <h2 className="dialog-title">Keep it warm for how long?</h2>
      <p className="dialog-words">
        Before the provider lets go of these {number(offer.tokens)} tokens they are read again, {money(offer.each)} each time. Nothing is added to the conversation. {without(offer)}
      </p>
      <div className="ways">
        {offer.choices.map(({ minutes, refreshes, cost }, number) => (
          <button key={minutes} type="button" data-first={number ? undefined : true} onClick={() => begin(minutes)}>
            <span className="way-name">{minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "An hour" : `${minutes / 60} hours`}</span>
            <span className="way-figures">{refreshes ? `at most ${money(cost)}` : "free"}</span>
            <span className="way-note">{noteOf(refreshes, offer.worth)}</span>
          </button>
        ))}
      </div>
      {said ? <p className="dialog-words" role="alert">{said}</p> : null}
      {close}
    </Dialog>
  );
}

/** The price of the alternative. */
function without({ read, anew }) {
  if (read === "unknown" || anew === "unknown") return "Nobody knows what doing without would cost.";
  return `Without it your next send pays ${money(anew)} for them instead of ${money(read)}.`;
}

function noteOf(refreshes, worth) {
  if (!refreshes) return "It is kept that long by itself.";
  const count = `Up to ${plural(refreshes, "refresh", "refreshes")}`;
  if (worth === null) return count;
  return refreshes <= worth ? `${count}: less than the next send saves by it` : `${count}: more than the next send saves by it`;
}

const timeOf = (at) => new Date(at).toTimeString().slice(0, 5);
