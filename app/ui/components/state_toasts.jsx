/** Shows what `ToastState` says in the old line of toasts, with the old stack of undos, for as long as scripts use them. */
import { useEffect, useRef } from "react";
import { dismiss, tell, tellFault, tellWork } from "./toasts.js";

const FRESH_MS = 60_000; // a page that is opened later says nothing of it
const LAST = "inview.toast"; // this tab shows no toast twice, also after a reload: what happened since may matter more

export function StateToasts({ toast, work, onUndo, onStop }) {
  const working = useRef(false);
  useEffect(() => {
    if (work) tellWork(work.message, async () => onStop());
    else if (working.current) dismiss();
    working.current = Boolean(work);
  }, [work?.message]);
  useEffect(() => {
    if (!toast || Date.now() - Date.parse(toast.at) > FRESH_MS || toast.id === sessionStorage.getItem(LAST)) return;
    sessionStorage.setItem(LAST, toast.id);
    if (toast.fault) tellFault(toast);
    else tell(toast.message, toast.undo ? async () => (onUndo(toast.id), false) : undefined);
  }, [toast?.id]);
  return null;
}
