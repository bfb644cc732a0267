/**
 * Ways between regions of the page, by name: to give another region the focus, or to have it do the one thing it is for.
 *
 * A region offers its own and takes them back when it goes; whoever calls one learns whether somebody was there. Nothing
 * is decided here and nothing is kept.
 */

/**
 * `composer`, `filter`, `history`: the focus goes there. `queue`: its last text is edited. `stop`: the running reply is
 * stopped. `compare`: models are chosen, or the compared replies shown. `sent`: this text was sent from this tab.
 */
export type Place = "composer" | "filter" | "history" | "queue" | "stop" | "compare" | "sent";

type Act = (text: string) => void;

const places = new Map<Place, Act>();

/** Offer a place. Returns how to take it back. */
export function offer(place: Place, act: Act): () => void {
  places.set(place, act);
  return () => {
    if (places.get(place) === act) places.delete(place);
  };
}

/** Go there. False: nobody offers it now. */
export function goTo(place: Place, text = ""): boolean {
  const act = places.get(place);
  act?.(text);
  return act !== undefined;
}
