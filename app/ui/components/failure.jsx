/**
 * What can be done about a reply that failed, as buttons in its pair: which ones depends on the class of the failure.
 *
 * Not the sentence, which Python writes; not what a button does (resend.js, edit.js, dialogs.js).
 */
import { memo, useState } from "react";
import { askModel } from "./dialogs.js";
import { showSnapshot } from "./inspect.js";
import { startEditing } from "./edit.js";
import { answerAgain } from "./resend.js";

const settings = { words: "Open Settings", act: () => dispatchEvent(new CustomEvent("inview:go", { detail: "/settings" })) };
const retry = { words: "Try again", act: (pair) => answerAgain(pair) };
const fit = { words: "Make it fit…", act: (pair) => answerAgain(pair) }; // the server asks how before it sends anything
const edit = { words: "Edit", act: (pair) => startEditing(pair) };
const other = { words: "Another model…", act: (pair, button) => askModel(pair, button) };
const sent = { words: "What was sent", act: (pair) => showSnapshot(pair) };

const WAYS = {
  auth: [settings, retry, other],
  rate: [retry, other],
  network: [retry, settings],
  server: [retry, other],
  overloaded: [retry, other],
  content_filter: [edit, other],
  context_length: [fit, other, edit],
  model: [other, edit],
};
const USUAL = [retry, other];

export const FailureActions = memo(function FailureActions({ pair }) {
  const [busy, setBusy] = useState(false);
  const ways = [...(WAYS[pair.error?.error_class] ?? USUAL), sent];
  const take = async (way, button) => {
    if (busy) return;
    setBusy(true);
    await way.act(pair, button);
    setBusy(false);
  };
  return (
    <div className="failure-ways" role="group" aria-label="What to do about it" aria-busy={busy}>
      {ways.map((way) => (
        <button key={way.words} type="button" onClick={({ currentTarget }) => take(way, currentTarget)}>
          {way.words}
        </button>
      ))}
    </div>
  );
});
