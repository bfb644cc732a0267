/**
 * Fetch a module of the page that is not in its first files, even if the server is unreachable at the time.
 *
 * Not here: the component (deferred.tsx). The promise resolves when the module was fetched.
 */
import { currentLink, untilOpen } from "./link.ts";

const RELOADED = "inview-reloaded-for";
const SETTLE_MS = 250; // a connection that is about to break is noticed later than the failure it causes
const AGAIN_MS = 5000;
let attempt = 0;

/** Return the module that `load` imports, when it can be fetched. */
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
 * Import the module that `load` failed to import with this `fault`. Browsers do not fetch a failed module again, except
 * under another address, and the fault names the address. The modules that it imports keep their addresses.
 */
function loadAnew<Module>(load: () => Promise<Module>, fault: string): Promise<Module> {
  const address = /https?:\/\/\S+\.js/.exec(fault)?.[0];
  if (!address) return load();
  attempt += 1;
  return import(/* @vite-ignore */ `${address}?attempt=${attempt}`);
}

/** Wait for the network: a socket may seem open without it, but a reload without the network would lose the page. */
function untilOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

/** Reload the page once for each missing module: an updated server has parts with other names. */
async function reloadOnce(fault: string): Promise<void> {
  if (sessionStorage.getItem(RELOADED) === fault) return pause(AGAIN_MS);
  sessionStorage.setItem(RELOADED, fault);
  location.reload();
  return new Promise(() => {}); // the page is unloaded before anything else happens
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
