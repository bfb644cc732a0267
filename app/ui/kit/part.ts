/**
 * Fetch a module of the page that is not in its first files, also if the server is out of reach just then.
 *
 * Not a component (deferred.tsx): the promise resolves as soon as the module could be had.
 */
import { currentLink, untilOpen } from "./link.ts";

const RELOADED = "inview-reloaded-for";
const SETTLE_MS = 250; // a connection that is about to break is noticed later than the failure it causes
const AGAIN_MS = 5000;
let attempt = 0;

/** The module that `load` imports, as soon as it can be had. */
export const fetchPart = <Module>(load: () => Promise<Module>): Promise<Module> =>
  load().catch((fault: unknown) => loadOnceReached(load, String(fault)));

async function loadOnceReached<Module>(load: () => Promise<Module>, fault: string): Promise<Module> {
  for (;;) {
    await pause(SETTLE_MS);
    await untilOpen();
    await untilOnline();
    try {
      return await loadAnew(load, fault);
    } catch {
      if (currentLink() === "open" && navigator.onLine) await reloadOnce(fault);
    }
  }
}

/**
 * The module that `load` failed to import with this `fault`. Browsers do not fetch a module a second time, but they do
 * under another address, and the fault names the address. What the module imports itself is still one.
 */
function loadAnew<Module>(load: () => Promise<Module>, fault: string): Promise<Module> {
  const address = /https?:\/\/\S+\.js/.exec(fault)?.[0];
  if (!address) return load();
  attempt += 1;
  return import(/* @vite-ignore */ `${address}?attempt=${attempt}`);
}

/** A socket may outlive the network for a while; to load the page anew then would lose it. */
function untilOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

/** A server that was brought up to date has parts of other names: the page is loaded anew, once for each. */
async function reloadOnce(fault: string): Promise<void> {
  if (sessionStorage.getItem(RELOADED) === fault) return pause(AGAIN_MS);
  sessionStorage.setItem(RELOADED, fault);
  location.reload();
  return new Promise(() => {}); // the page is gone before anything else happens
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
