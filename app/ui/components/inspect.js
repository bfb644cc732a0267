/**
 * Which section of the inspector is open, and what it is about: opened from anywhere, by name.
 *
 * Not its look (inspector.jsx), which has the table of sections.
 */
const CLOSED = Object.freeze({ name: "", about: null });

let open = CLOSED;
const listeners = new Set();

export const openSection = () => open;
export const serverSection = () => CLOSED;
export function subscribeInspector(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Open a section; `about`: what of, for those that are about something, such as a pair. */
export const inspect = (name, about = null) => set({ name, about });

/** The same, or close it if it is the one that is open. */
export const toggleSection = (name) => set(open.name === name ? CLOSED : { name, about: null });

export const closeInspector = () => set(CLOSED);

function set(next) {
  open = next;
  listeners.forEach((listener) => listener());
}
