/**
 * Comparing, as the composer has it: the button that asks which models, and once replies are compared, the one that
 * shows them. The choice and the comparison itself are fetched when they first open.
 */
import { Suspense, useEffect, useRef, useState } from "react";
import { offer } from "$/islands/kit/places.ts";
import { useBox } from "$/islands/composer/box.ts";
import { expectReplies, takeExpected } from "./comparing.js";
import { lazy } from "./lazy.js";

const Choice = lazy(() => import("./compare_choice.jsx"));
const Replies = lazy(() => import("./compare_replies.jsx"));

const ICON = <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 3.5h4v9h-4zM9.5 3.5h4v9h-4z" /></svg>;

/** `onCompare(models)` puts the text to them; `onBack(text)` gives back the text of a comparison that was discarded. */
export function Compare({ conversation, comparison, busy, model, onCompare, onBack }) {
  const { blank } = useBox();
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState(false);
  const button = useRef(null);
  const can = !comparison && !blank && !busy;

  useEffect(() => {
    if (!comparison) return setShown(false);
    if (takeExpected()) setShown(true);
    return undefined;
  }, [comparison?.id]);
  useEffect(() => offer("compare", () => (comparison ? setShown(true) : can && setAsking(true))), [comparison, can]);

  const start = (models) => {
    setAsking(false);
    expectReplies();
    onCompare(models);
  };
  const fold = () => {
    setShown(false);
    setTimeout(() => button.current?.focus(), 0); // an open dialog lets nothing beside it have the focus
  };
  return (
    <>
      {comparison ? (
        <button type="button" ref={button} className="comparing" aria-label={`Comparing ${comparison.runs.length} replies`} onClick={() => setShown(true)} title="Show the replies that are compared (Alt+Enter)">
          {ICON}
          <span className="comparing-word">Comparing</span> {comparison.runs.length}
        </button>
      ) : (
        <button type="button" className="compare-button" disabled={!can} onClick={() => setAsking(true)} aria-label="Compare models" title="Put this to several models side by side (Alt+Enter)">
          {ICON}
        </button>
      )}
      <Suspense fallback={null}>
        {asking ? <Choice model={model} onStart={start} onCancel={() => setAsking(false)} /> : null}
        {comparison && shown ? <Replies conversation={conversation} comparison={comparison} onFold={fold} onBack={onBack} /> : null}
      </Suspense>
    </>
  );
}
