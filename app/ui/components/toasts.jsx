/** The line that says what was just done and offers to take it back. */
import { useEffect, useSyncExternalStore } from "react";
import { fetchPart } from "./lazy.js";
import { currentToast, dismiss, hold, release, subscribeToast, tellFault, undo } from "./toasts.js";
import { enterView } from "./modes.js";

const none = () => null;
const RECALL_MS = 1500; // after a page was opened, which has better things to do
let recalled = false;

export function Toasts() {
  const toast = useSyncExternalStore(subscribeToast, currentToast, none);
  useEffect(() => {
    if (recalled || performance.getEntriesByType("navigation")[0]?.type !== "reload") return;
    recalled = true;
    setTimeout(() => fetchPart(() => import("./undelete.js")).then(({ recall }) => recall()), RECALL_MS);
  }, []);
  const takeBack = () => {
    undo(toast.entry);
    enterView();
  };
  return (
    <div className="toasts">
      <div role={toast?.fault ? "alert" : "status"} aria-live={toast?.fault ? "assertive" : "polite"}>
        {toast ? (
          <div className="toast" key={toast.id} data-fault={toast.fault || undefined} onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
            <span dir="auto">{toast.words}</span>
            {toast.entry ? <button type="button" onClick={takeBack} title="Take it back (Ctrl+Z in VIEW)">Undo</button> : null}
            {toast.stop ? <button type="button" onClick={() => toast.stop().catch(tellFault)}>Stop</button> : null}
            <button type="button" className="close" onClick={dismiss} aria-label="Dismiss" title="Dismiss">
              <svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4.5 4.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" /></svg>
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}
