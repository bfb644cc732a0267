/**
 * Parts of the page that are loaded when they are first shown: also if the network is away just then.
 *
 * React remembers that a part could not be loaded, and takes the whole page away. So it is told only of one that came;
 * until then nothing stands there. Not what a person does, which is done at once or not at all (page_parts.js).
 */
import { lazy as lazyOnce } from "react";
import { ask } from "./api.js";
import { loadOrReload } from "./page_parts.js";
import { tellFault } from "./toasts.js";

const AGAIN_MS = 1000;

/** As React's. `load`: imports a module. */
export const lazy = (load) => lazyOnce(() => fetchPart(load));

/** The module that `load` imports, as soon as it can be had. */
export const fetchPart = (load) => load().catch((fault) => loadOnceReached(load, fault));

async function loadOnceReached(load, fault) {
  for (let told = false; !(await isReached(told)); told = true) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  return loadOrReload(load, fault);
}

async function isReached(told) {
  try {
    return await ask("GET", "/health");
  } catch (fault) {
    if (!told) tellFault(fault);
    return false;
  }
}
