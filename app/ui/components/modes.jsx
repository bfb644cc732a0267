/**
 * The mode as it is shown beside the composer, and the host of keys and dialogs: one of each on a page.
 *
 * Not what keys do (actions.js). The large dialogs are fetched when the first of each kind opens.
 */
import { Suspense, useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { perform } from "./actions.js";
import { closeDialog, dialogCame, hearEarly, hearWhileOpening, learnOpeners, openDialog, showSheet, subscribeDialog } from "./dialogs.js";
import { lazy } from "./lazy.js";
import { currentMode, listen, subscribeMode } from "./modes.js";
import { loadPreferences } from "./preferences.js";
import { whenIdle } from "./idle.js";
import { focusTranscript, followFocus } from "$/islands/transcript/walk.ts";

const atFirst = () => "INPUT";
const noDialog = () => null;

const DIALOGS = {
  model: lazy(() => import("./model_menu.jsx")),
};

/** Which mode one is in; it opens the sheet of keys. */
export function ModeBadge() {
  const mode = useSyncExternalStore(subscribeMode, currentMode, atFirst);
  return (
    <button type="button" className="mode" data-mode={mode} onClick={() => showSheet("keys")} aria-label={`Mode: ${mode}. Show all keys`} title="Show all keys (F1)">
      {mode}
    </button>
  );
}

/** Hears the keys of the page and shows the dialog that is open. `onTopic`, `onSheet`, `onRemove`, `onModels`, `onEdit`, `onSummary` ask for what is Python. */
export function Keyboard({ hasDialog, onTopic, onSheet, onRemove, onModels, onEdit, onSummary }) {
  const dialog = useSyncExternalStore(subscribeDialog, openDialog, noDialog);
  const navigate = useNavigate();
  useEffect(() => {
    const stops = [listen(perform, focusTranscript, hearWhileOpening), followFocus(), whenIdle(loadPreferences)];
    const go = ({ detail }) => navigate(detail);
    const leave = () => openDialog() && closeDialog(); // what it is about is not on screen any more
    addEventListener("focusin", hearEarly);
    addEventListener("inview:go", go);
    addEventListener("popstate", leave);
    return () => {
      stops.forEach((stop) => stop());
      removeEventListener("focusin", hearEarly);
      removeEventListener("inview:go", go);
      removeEventListener("popstate", leave);
    };
  }, [navigate]);
  useEffect(
    () => learnOpeners({ topic: onTopic, sheet: onSheet, remove: onRemove, models: onModels, edit: onEdit, summary: onSummary }),
    [onTopic, onSheet, onRemove, onModels, onEdit, onSummary],
  );
  useEffect(dialogCame, [hasDialog]);
  const Dialog = DIALOGS[dialog?.name];
  return <Suspense>{Dialog ? <Dialog {...dialog} /> : null}</Suspense>;
}
