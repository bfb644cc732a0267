/**
 * Ways between regions of the page, by name: to give another region the focus, or to have it do the one thing it is for.
 *
 * A region offers its own and takes them back when it goes; whoever calls one learns whether somebody was there. Nothing
 * is decided here and nothing is kept.
 */
import type { Place } from "./views.ts";

/** What is done there; false: nothing was. */
export type Acts = { readonly [place in Place]?: (text: string) => unknown };

const places = new Map<Place, Acts[Place]>();

/** Offer places. Returns how to take them back. */
export function offer(acts: Acts): () => void {
  const offered = Object.entries(acts) as [Place, Acts[Place]][];
  for (const [place, act] of offered) places.set(place, act);
  return () => {
    for (const [place, act] of offered) if (places.get(place) === act) places.delete(place);
  };
}

/** Go there. False: nobody offers it now, or nothing was done. */
export function goTo(place: Place, text = ""): boolean {
  const act = places.get(place);
  return act !== undefined && act(text) !== false;
}

/** What is said there, "" if nobody offers it. */
export const answerOf = (place: Place): string => String(places.get(place)?.("") ?? "");
