/** Commands of the filter bar, `<filter> :<command> …`: the call, and what is read before it is made. */
import { ask } from "./api.js";
import { looking } from "./live.js";

/** Do it on what its filter selects. Resolves with {outcome: "done|ask|told|refused", message, count, undo …}. */
export function runCommand(conversation, line, confirmed = false) {
  const { filter: _, ...look } = looking();
  return ask("POST", `/conversations/${conversation}/commands`, { line, ...look, confirmed });
}
