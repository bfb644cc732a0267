/** Reports whether the list of conversations is on screen. The server updates the list of a page only while it is. */
import { currentLink } from "../connection/link.ts";

let known: boolean | null = true; // the value that the server has: true after a load; null: it may be wrong

/**
 * Report whether the list is on screen, unless the server knows it. Call this again after each change of the
 * connection: while the connection is lost, nothing is reported, and the last report may not have arrived.
 */
export function reportSight(isOnScreen: boolean, report: (on: boolean) => void): void {
  if (currentLink() === "lost") known = null;
  if (currentLink() !== "open" || isOnScreen === known) return;
  known = isOnScreen;
  report(isOnScreen);
}
