/** Settings of keys: every action of VIEW with its key, which can be another one, or none. */
import { useEffect, useState, useSyncExternalStore } from "react";
import { ACTIONS, isFree, keyIn, keyName, keyOf, refusalOf } from "./keys.js";
import { loadPreferences, preferences, savePreferences, subscribePreferences, usualPreferences } from "./preferences.js";

const FREE = ACTIONS.filter(isFree);
const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"];

export function KeySettings() {
  const { keys, auto_enter_view_on_overflow: enters } = useSyncExternalStore(subscribePreferences, preferences, usualPreferences);
  const [asking, setAsking] = useState("");
  const [said, setSaid] = useState(null); // {id, words}
  useEffect(() => {
    loadPreferences().catch(({ message }) => setSaid({ id: "", words: message }));
  }, []);

  const save = (changes, id, words) =>
    savePreferences(changes).then(
      () => setSaid({ id, words }),
      ({ message }) => setSaid({ id, words: message }),
    );
  const give = (action, key) => {
    const { [action.id]: was, ...others } = keys;
    return save({ keys: key === action.key ? others : { ...others, [action.id]: key } }, action.id, key ? `${keyName(key)} it is.` : "No key any more.");
  };
  const pressed = (event, action) => {
    if (asking !== action.id || MODIFIERS.includes(event.key) || event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (event.key === "Escape") return setAsking("");
    const key = event.key === "Backspace" || event.key === "Delete" ? "" : keyIn(event);
    const combined = event.ctrlKey || event.metaKey || event.altKey;
    const refusal = combined ? "Keys with Ctrl, Alt or Cmd belong to the browser." : key && refusalOf(action, key);
    if (refusal) return setSaid({ id: action.id, words: refusal });
    setAsking("");
    give(action, key);
  };

  return (
    <div className="key-settings">
      <label className="key-check">
        <input type="checkbox" checked={enters} onChange={({ target }) => save({ auto_enter_view_on_overflow: target.checked }, "", "Saved.")} />
        When a reply grows higher than the screen while nobody types, go to its beginning and read from there
      </label>
      <ul>
        {FREE.map((action) => (
          <li key={action.id}>
            <span className="key-name">
              {action.name}
              <small>{action.does}</small>
            </span>
            <span className="key-said" role="status">{said?.id === action.id ? said.words : ""}</span>
            {keyOf(action, keys) === action.key ? null : (
              <button type="button" className="quiet" onClick={() => takeUsual(action, give, setSaid)} aria-label={`Usual key of ${action.name}`}>
                Usual: {keyName(action.key)}
              </button>
            )}
            <button
              type="button"
              className="key"
              data-asking={asking === action.id || undefined}
              aria-label={asking === action.id ? `Press a key for ${action.name}` : `Key of ${action.name}: ${keyName(keyOf(action, keys)) || "none"}`}
              title="Press to change. Backspace: no key"
              onClick={() => setAsking(action.id)}
              onKeyDown={(event) => pressed(event, action)}
              onBlur={() => asking === action.id && setAsking("")}
            >
              {asking === action.id ? "Press a key…" : keyName(keyOf(action, keys)) || "none"}
            </button>
          </li>
        ))}
      </ul>
      <p className="key-foot">
        <button type="button" className="quiet" disabled={!Object.keys(keys).length} onClick={() => save({ keys: {} }, "", "All keys are the usual ones.")}>
          Reset all keys
        </button>
        <span role="status">{said?.id === "" ? said.words : ""}</span>
      </p>
    </div>
  );
}

function takeUsual(action, give, setSaid) {
  const refusal = refusalOf(action, action.key);
  if (refusal) setSaid({ id: action.id, words: refusal });
  else give(action, action.key);
}
