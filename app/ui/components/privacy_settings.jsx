/** Settings of what goes out besides a conversation's own words: what models are told of the person, and secrets. */
import { useEffect, useRef, useState } from "react";
import { ask } from "./api.js";
import { loadPreferences, preferences, savePreferences } from "./preferences.js";

const LONGEST = 4000;
const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export function PrivacySettings() {
  const [known, setKnown] = useState(null);
  const [shown, setShown] = useState(null);
  const [said, setSaid] = useState("");
  const about = useRef(null);
  const look = () => ask("GET", "/preferences/prelude").then(({ text }) => setShown(text), () => {}); // only an example
  useEffect(() => {
    loadPreferences().then(() => setKnown(preferences()), ({ message }) => setSaid(message));
    look();
  }, []);
  if (!known) return <p className="context-said" role="status">{said || "Reading the settings…"}</p>;
  const change = async (changes) => {
    setKnown({ ...known, ...changes });
    try {
      await savePreferences(changes);
      setSaid("Saved. It holds from the next send on.");
      look();
    } catch ({ message }) {
      setKnown(preferences());
      setSaid(message);
    }
  };
  const save = (event) => {
    event.preventDefault();
    change({ about_me: about.current.value });
  };
  return (
    <div className="context-settings privacy-settings" role="group" aria-label="About you and secrets">
      <form onSubmit={save}>
        <label htmlFor="about-me">What models are told of you: a name, what you do, how you like your answers</label>
        <textarea id="about-me" ref={about} rows={4} maxLength={LONGEST} defaultValue={known.about_me} dir="auto" />
        <div className="context-foot">
          <button type="submit">Save</button>
          <p className="context-said" role="status">{said}</p>
        </div>
      </form>
      <label className="context-choice">
        <input type="checkbox" checked={known.tell_about_me} onChange={({ target }) => change({ tell_about_me: target.checked })} /> Tell models what stands above
      </label>
      <label className="context-choice">
        <input type="checkbox" checked={Boolean(known.date_zone)} onChange={({ target }) => change({ date_zone: target.checked ? here() : null })} /> Tell models the day{known.date_zone ? `, as it is in ${known.date_zone}` : ""}. A provider’s cache ends with it
      </label>
      {shown ? (
        <details className="privacy-shown">
          <summary>What stands above every conversation and is sent</summary>
          <p dir="auto">{shown}</p>
        </details>
      ) : null}
      <label className="context-choice">
        <input type="checkbox" checked={known.redact} onChange={({ target }) => change({ redact: target.checked })} /> Replace keys, tokens and passwords of known forms by a mark in all that is sent
      </label>
      <p className="privacy-note">The conversation itself keeps them. Images, files and the descriptions of tools are not searched.</p>
    </div>
  );
}
