/** Parts of the page that are loaded for something a person does: they are there at once, or it is said why not. */
import { loadAnew } from "$/islands/kit/load_anew.ts";
import { ask } from "./api.js";

const RELOADED = "inview-reloaded-for";

/**
 * The module that `load` imports. Throws an Error fit to be shown while Inview cannot be reached: what was asked for is
 * not done later, when nobody expects it any more.
 */
export const needPart = (load) => load().catch((fault) => ask("GET", "/health").then(() => loadOrReload(load, fault)));

/** A server that was brought up to date serves parts of other names: the page is loaded anew, once. */
export const loadOrReload = (load, fault) => loadAnew(load, String(fault)).catch(reload);

function reload(fault) {
  const part = fault.message.replace(/\?attempt=\d+/, "");
  if (sessionStorage.getItem(RELOADED) === part) throw fault;
  sessionStorage.setItem(RELOADED, part);
  location.reload();
  return new Promise(() => {}); // nobody waits for it any more
}
