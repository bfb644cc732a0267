/** Carries what scripts say to the states. */
import { useEffect } from "react";
import { learnToasts } from "./toasts.js";

export function ToastBridge({ onTell }) {
  useEffect(() => learnToasts({ tell: onTell }), [onTell]);
  return null;
}
