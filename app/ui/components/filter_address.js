/**
 * The applied filter in the page's address and with its conversation, so that a reload, a link and the back button
 * bring back what was in view.
 *
 * Not the check of a line: whoever applies one has had it read. Only what the server then shows is written down.
 */
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { ask } from "./api.js";
import { setView } from "./live.js";
import { isTemporary } from "./temporary.js";
import { tell } from "./toasts.js";

let applying = false; // a person applied a filter and its view has not come yet

/** Ask for the pairs of another filter. */
export function applyFilter(filter) {
  applying = true;
  setView({ filter });
}

export function useFilterInAddress(conversation, view) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const kept = useRef({ conversation: "", filter: "" });
  const filter = view?.filter;

  useEffect(() => {
    if (filter === undefined || view.error) return;
    const first = kept.current.conversation !== conversation;
    const changed = kept.current.filter !== filter;
    kept.current = { conversation, filter };
    if (!first && changed) {
      ask("PATCH", `/conversations/${conversation}`, { filter }).catch(({ message }) => tell(`The filter is not kept. ${message}`));
    }
    // An address is kept by the browser, on its disk.
    if (isTemporary(conversation) === true) applying = false;
    else if ((first || applying) && filterIn(search) !== filter) navigate({ pathname, search: withFilter(search, filter) }, { replace: first });
    applying = false;
  }, [conversation, filter, view?.error]);

  useEffect(() => {
    if (filter !== undefined && !applying && !isTemporary(conversation) && filterIn(search) !== filter) setView({ filter: filterIn(search) });
  }, [search]);
}

const filterIn = (search) => new URLSearchParams(search).get("f") ?? "";

function withFilter(search, filter) {
  const query = new URLSearchParams(search);
  if (filter) query.set("f", filter);
  else query.delete("f");
  return query.size ? `?${query}` : "";
}
