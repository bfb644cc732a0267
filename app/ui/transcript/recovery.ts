/** Records the running replies on this page, to send them back if the server lost a part of them in a crash. */
import { useLayoutEffect } from "react";
import type { RecoveryProps, ScreenPairView } from "./views.ts";

type Parts = ScreenPairView["parts"];
const shown = new Map<string, Parts>(); // the parts of each running run
const textOf = (part: Parts[number]): string => ("text" in part ? part.text : "");
const given = (part: Parts[number]) => ({ type: part.type, text: textOf(part) });
const size = (parts: Parts): number => parts.reduce((sum, part) => sum + textOf(part).length, 0);

export const Recovery = (props: RecoveryProps): void => useLayoutEffect(() => giveBack(props)); // draws nothing

/** Call this with all shown replies whenever they change. */
export function giveBack({ pairs, compared, onGiven }: RecoveryProps): void {
  for (const { run_id: run, lifecycle, error, parts } of [...pairs, ...(compared?.columns ?? [])]) {
    if (!run) continue;
    const held = shown.get(run) ?? [];
    const lost = size(held) > size(parts);
    if (lifecycle === "sending" || lifecycle === "awaiting") shown.set(run, lost ? held : parts);
    else if (shown.delete(run) && lost && error?.error_class === "interrupted") onGiven?.(run, held.map(given));
  }
}
