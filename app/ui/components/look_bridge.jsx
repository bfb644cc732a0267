/** Fills looking.js from the vars, for the scripts that send. */
import { useLayoutEffect } from "react";
import { learnLook } from "./looking.js";

export function LookBridge({ topic, zone }) {
  useLayoutEffect(() => learnLook({ topic, zone }), [topic, zone]);
  return null;
}
