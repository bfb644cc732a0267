/**
 * Writes the filter into the address of the page, as `?f=`. Python reads it when a page is opened and on Back.
 *
 * It does not use the router, which would load the page again; on Back the router takes the address from the browser's
 * history. An address that the server has not read yet is not changed, because its filter is not applied yet.
 */
import { useEffect, useRef } from "react";
import type { FilterAddressProps } from "./views.ts";

const PARAMETER = "f";

/**
 * `filter` null: the address is not changed. `steps` has increased: add an entry to the history, so that Back returns
 * to the previous filter. `read` is the page and the filter of the address that the server read last.
 */
export function FilterAddress({ filter, steps, read }: FilterAddressProps): null {
  const written = useRef(steps);
  const left = useRef(""); // the page and the filter that were written here
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
    if ((url.searchParams.get(PARAMETER) ?? "") === filter || (now !== heard.current && now !== left.current)) return;
    if (filter) url.searchParams.set(PARAMETER, filter);
    else url.searchParams.delete(PARAMETER);
    if (written.current === steps) history.replaceState(history.state, "", url);
    else history.pushState(nextState(), "", url);
    written.current = steps;
    left.current = addressOf(url);
  }, [filter, steps]);
  return null;
}

/** The page and the filter of an address, in the form that the server uses. */
const addressOf = ({ pathname, searchParams }: URL): string => `${pathname} ${searchParams.get(PARAMETER) ?? ""}`;

/** The router's state for a new entry of the history: its position and a new key. */
function nextState(): unknown {
  const place: unknown = history.state?.idx;
  const key = Math.random().toString(36).slice(2, 10);
  return { ...history.state, key, idx: typeof place === "number" ? place + 1 : 0 };
}
