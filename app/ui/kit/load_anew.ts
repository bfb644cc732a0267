/** Loading a module again that could not be loaded. */

let attempt = 0;

/**
 * The module that `load` failed to import with this `fault`. Browsers do not fetch a module a second time, but they do
 * under another address, and the fault names the address. What the module imports itself is still one.
 */
export function loadAnew<Module>(load: () => Promise<Module>, fault: string): Promise<Module> {
  const address = /https?:\/\/\S+\.js/.exec(fault)?.[0];
  if (!address) return load();
  attempt += 1;
  return import(/* @vite-ignore */ `${address}?attempt=${attempt}`);
}
