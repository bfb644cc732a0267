/**
 * The versions of a pair: let another one stand, forth and back. What stands is what is sent.
 *
 * Not the arrows (versions.jsx) and not how two of them differ (version_diff.jsx).
 */
import { ask } from "./api.js";
import { tell, tellOf } from "./toasts.js";

const swapped = new Map(); // pair id → the version that stood before the last swap

/** Let a version stand. It can be taken back. */
export function restore(pair, version) {
  if (version === pair.version || version < 1 || version > pair.versions) return undefined;
  swapped.set(pair.id, pair.version);
  const put = (number, standing) => ask("POST", `/pairs/${pair.id}/restore`, { version: number, standing });
  return tellOf(put(version, pair.version), () => `Pair ${pair.position}: Version ${version} of ${pair.versions} stands`, () => put(pair.version, version));
}

/** To the version before, and with the next swap back again. */
export function swapVersion(pair) {
  if (pair.versions < 2) return tell(`Pair ${pair.position} has one version only. Edit it (e) or have it answered again (r).`);
  const before = swapped.get(pair.id);
  return restore(pair, before && before !== pair.version ? before : pair.version > 1 ? pair.version - 1 : 2);
}
