/** Hands the events of the inspector's state to the scripts that are not Python yet. */
import { useLayoutEffect } from "react";
import { answerWith } from "./inspect.js";

export function InspectorBridge({ onShow, onToggle, onFork, onSwap }) {
  useLayoutEffect(() => {
    answerWith({ show: onShow, toggle: onToggle, fork: onFork, swap: onSwap });
    return () => answerWith(null);
  }, [onShow, onToggle, onFork, onSwap]);
  return null;
}
