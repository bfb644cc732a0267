/**
 * Actions between regions of the page, by name: give another region the focus, or make it perform its one action.
 *
 * A region offers its actions and withdraws them when it is removed. A caller learns whether its action was offered.
 * This module decides and stores nothing else.
 */
import type { Place } from "../views.ts";

/** The actions by place; a result of false means that nothing was done. */
export type Acts = { readonly [place in Place]?: (text: string) => unknown };

const places = new Map<Place, Acts[Place]>();

/** Offer actions. Returns a function that withdraws them. */
export function offer(acts: Acts): () => void {
  const offered = Object.entries(acts) as [Place, Acts[Place]][];
  for (const [place, act] of offered) places.set(place, act);
  return () => {
    for (const [place, act] of offered) if (places.get(place) === act) places.delete(place);
  };
}

/** Perform the action of a place. Returns false if no region offers it now, or if it did nothing. */
export function goTo(place: Place, text = ""): boolean {
  const act = places.get(place);
  return act !== undefined && act(text) !== false;
}

/** Focus the content of the page, which every page has. For a region that is removed with the focus in it. */
export function goToContent(): void {
  document.getElementById("centre")?.focus({ preventScroll: true });
}

/** Return the answer of a place, "" if no region offers it. */
export const answerOf = (place: Place): string => String(places.get(place)?.("") ?? "");
