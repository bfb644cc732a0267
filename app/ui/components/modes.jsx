/**
 * The mode as it is shown beside the composer, and the host of keys and dialogs: one of each on a page.
 *
 * Not what keys do (actions.js). The large dialogs are fetched when the first of each kind opens.
 */
import { Suspense, useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { perform } from "./actions.js";
import { DeletePair } from "./delete_pair.jsx";
import { closeDialog, hearWhileOpening, openDialog, showSheet, subscribeDialog } from "./dialogs.js";
import { lazy } from "./lazy.js";
import { currentMode, listen, subscribeMode } from "./modes.js";
import { loadPreferences } from "./preferences.js";
import { whenIdle } from "./idle.js";
import { focusHistory, followFocus } from "./walk.js";

const atFirst = () => "INPUT";
const noDialog = () => null;

const DIALOGS = {
  topic: lazy(() => import("./topic_picker.jsx")),
  sheet: lazy(() => import("./sheet.jsx")),
  delete: DeletePair,
  fork: lazy(() => import("./fork_choice.jsx")),
  later: lazy(() => import("./later_pairs.jsx")),
  summarise: lazy(() => import("./summary_dialog.jsx")),
  model: lazy(() => import("./model_menu.jsx")),
  models: lazy(() => import("./compare_again.jsx")),
  versions: lazy(() => import("./version_diff.jsx")),
  snapshot: lazy(() => import("./snapshot.jsx")),
  overBudget: lazy(() => import("./over_budget.jsx")),
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

/** Hears the keys of the page and shows the dialog that is open. */
export function Keyboard() {
  const dialog = useSyncExternalStore(subscribeDialog, openDialog, noDialog);
  const navigate = useNavigate();
  useEffect(() => {
    const stops = [listen(perform, focusHistory, hearWhileOpening), followFocus(), whenIdle(loadPreferences)];
    const asked = ({ detail }) => showSheet(detail ?? "keys");
    const go = ({ detail }) => navigate(detail);
    const leave = () => openDialog() && closeDialog(); // what it is about is not on screen any more
    addEventListener("inview:sheet", asked);
    addEventListener("inview:go", go);
    addEventListener("popstate", leave);
    return () => {
      stops.forEach((stop) => stop());
      removeEventListener("inview:sheet", asked);
      removeEventListener("inview:go", go);
      removeEventListener("popstate", leave);
    };
  }, [navigate]);
  const Dialog = DIALOGS[dialog?.name];
  return <Suspense>{Dialog ? <Dialog {...dialog} /> : null}</Suspense>;
}
