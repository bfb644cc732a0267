/**
 * Writes the filter into the address of the page, as `?f=`. Python reads it when a page is opened and on Back.
 *
 * Not by the router, which would load the page again. It loads the page when somebody goes back, but not at the address
 * that it knows: that is told from here. An address that the server has not heard of stays: it asks for another filter.
 */
import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import type { FilterAddressProps } from "./views.ts";

const PARAMETER = "f";

/**
 * `filter` null: the address stays as it is. `steps` has grown: this is a new step to go back from. `read` is the page and
 * the filter of the address that the server read last.
 */
export function FilterAddress({ filter, steps, read, onReturn }: FilterAddressProps): null {
  const known = useLocation();
  const written = useRef(steps);
  const left = useRef(""); // the page and the filter as they were written here
  const heard = useRef(read);
  useEffect(() => {
    heard.current = read;
    left.current = "";
  }, [read]);
  useEffect(() => {
    if (filter === null) {
      written.current = steps;
      return;
    }
    const url = new URL(location.href);
    const now = addressOf(url);
    if (filterIn(url) === filter || (now !== heard.current && now !== left.current)) return;
    if (filter) url.searchParams.set(PARAMETER, filter);
    else url.searchParams.delete(PARAMETER);
    if (written.current === steps) history.replaceState(history.state, "", url);
    else history.pushState(nextState(), "", url);
    written.current = steps;
    left.current = addressOf(url);
  }, [filter, steps]);
  useEffect(() => {
    const returned = () => {
      const isKnown = location.pathname === known.pathname && location.search === known.search;
      if (isKnown && filterIn(new URL(location.href)) !== filter) onReturn?.();
    };
    addEventListener("popstate", returned);
    return () => removeEventListener("popstate", returned);
  }, [known, filter, onReturn]);
  return null;
}

const filterIn = ({ searchParams }: URL): string => searchParams.get(PARAMETER) ?? "";

/** As the server writes it. */
const addressOf = (url: URL): string => `${url.pathname} ${filterIn(url)}`;

/** What the router keeps with an entry of the history: its place, and a key of its own. */
function nextState(): unknown {
  const place: unknown = history.state?.idx;
  const key = Math.random().toString(36).slice(2, 10);
  return { ...history.state, key, idx: typeof place === "number" ? place + 1 : 0 };
}
