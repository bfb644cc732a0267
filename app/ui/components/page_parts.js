/** Parts of the page that are loaded for something a person does: they are there at once, or it is said why not. */
import { ask } from "./api.js";

const RELOADED = "inview-reloaded-for";

/**
 * The module that `load` imports. Throws an Error fit to be shown while Inview cannot be reached: what was asked for is
 * not done later, when nobody expects it any more.
 */
export const needPart = (load) => load().catch(() => ask("GET", "/health").then(() => loadOrReload(load)));

/** A server that was brought up to date serves parts of other names: the page is loaded anew, once. */
export const loadOrReload = (load) => load().catch(reload);

function reload(fault) {
  if (sessionStorage.getItem(RELOADED) === fault.message) throw fault;
  sessionStorage.setItem(RELOADED, fault.message);
  location.reload();
  return new Promise(() => {}); // nobody waits for it any more
}
