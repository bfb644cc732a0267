/** Carries what scripts say to the states. */
import { useEffect } from "react";
import { learnToasts } from "./toasts.js";

export function ToastBridge({ onTell, onUndo }) {
  useEffect(() => learnToasts({ tell: onTell, undo: onUndo }), [onTell, onUndo]);
  return null;
}
