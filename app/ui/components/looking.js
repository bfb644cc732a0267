/**
 * How a person looks at a conversation: what this page asks the live socket to show, and what goes along with a send.
 *
 * Not what the server made of it: that is `snapshot().view` in live.js, which alone talks to the socket.
 */

const ZONE = "inview.zone"; // the browser takes tens of milliseconds to say it, so it is remembered
const LONGEST_QUERY = 4000; // of an address; a longer filter is said when the socket is open

let wanted = { filter: null, model: null, topic: null }; // null: the conversation's own
let zone = typeof localStorage === "undefined" ? null : localStorage.getItem(ZONE);

/** Another conversation: its own filter, unless the address names one. The chosen topic stays. */
export function lookAfresh() {
  wanted = { ...wanted, filter: new URLSearchParams(location.search).get("f"), model: null };
}

export const look = (change) => (wanted = { ...wanted, ...change });
export const looksAt = () => wanted;
export const readerZone = () => zone;

/** What to say to the socket. */
export const asked = () => JSON.stringify({ type: "view", ...wanted, ...(zone && { zone }) });

/** The same for its address, null if that cannot hold it. */
export function askedInAddress() {
  const fields = Object.entries({ ...wanted, zone }).filter(([, value]) => value !== null);
  const query = new URLSearchParams(fields).toString();
  return query.length <= LONGEST_QUERY ? query && `?${query}` : null;
}

/** Ask the browser for the reader's time zone. Returns whether it is another than the one we knew. */
export function learnZone() {
  const now = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (now === zone) return false;
  zone = now;
  localStorage.setItem(ZONE, zone);
  return true;
}
