/** Settings of titles and replays. Each is kept as soon as it is changed; what the server refuses stays as it was. */
import { useEffect, useState } from "react";
import { ask } from "./api.js";
import { loadPreferences, preferences, savePreferences } from "./preferences.js";

export function TitleSettings() {
  const [known, setKnown] = useState(null);
  const [models, setModels] = useState([]);
  const [said, setSaid] = useState("");
  useEffect(() => {
    loadPreferences().then(() => setKnown(preferences()), ({ message }) => setSaid(message));
    ask("GET", "/models").then(({ items }) => setModels(items), () => {}); // the model chosen is shown all the same
  }, []);
  if (!known) return <p className="context-said" role="status">{said || "Reading the settings…"}</p>;
  const change = async (changes) => {
    setKnown({ ...known, ...changes });
    try {
      await savePreferences(changes);
      setSaid("Saved.");
    } catch ({ message }) {
      setKnown(preferences());
      setSaid(message);
    }
  };
  const chosen = known.title_model ?? "";
  const names = new Map(models.map(({ model, name }) => [model, name ?? model]));
  if (chosen && !names.has(chosen)) names.set(chosen, chosen);
  return (
    <div className="context-settings" role="group" aria-label="Titles and replays">
      <label className="context-choice">
        <input type="checkbox" checked={known.titles} onChange={({ target }) => change({ titles: target.checked })} /> Have new conversations named by a model after the first reply
      </label>
      <label className="title-model">
        <span>Who is asked for titles</span>
        <select value={chosen} onChange={({ target }) => change({ title_model: target.value || null })}>
          <option value="">The conversation’s own model</option>
          {[...names].map(([model, name]) => (
            <option key={model} value={model}>{name === model ? model : `${name} (${model.split(":")[0]})`}</option>
          ))}
        </select>
      </label>
      <label className="context-choice">
        <input type="checkbox" checked={known.replay} onChange={({ target }) => change({ replay: target.checked })} /> Answer a request that was answered before with what was said then, without asking the model
      </label>
      <p className="context-said" role="status">{said}</p>
    </div>
  );
}
