/** Times in short forms. The browser's formatters are not used, because they take ten milliseconds to create. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** A number with at least two digits. */
export const two = (number: number): string => String(number).padStart(2, "0");

const MAX_LEADS = 100;
const leads = new Map<string, number>();

/**
 * The milliseconds by which the server's clock is ahead of the browser's. `now`: the server's time in an answer (ISO
 * 8601), `at`: the browser's time. The first call for an answer counts: a component may be mounted again later.
 */
export function clockLead(now: string, at: number): number {
  const known = leads.get(now);
  if (known !== undefined) return known;
  const lead = Date.parse(now) - at;
  leads.set(now, lead);
  if (leads.size > MAX_LEADS) for (const oldest of [...leads.keys()].slice(0, 1)) leads.delete(oldest);
  return lead;
}

/** The whole seconds from `at` (milliseconds since 1970) until `until` (ISO 8601). 0 if it is over, or for "". */
export function secondsLeft(until: string, at: number): number {
  return until ? Math.max(0, Math.ceil((Date.parse(until) - at) / 1000)) : 0;
}

/** "14:05", in the reader's zone. */
export const clock = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`;

/** "just now", "5m ago", "3h ago", "2d ago", "21 Nov", "21 Nov 2024". `now`: milliseconds since 1970. */
export function ago(date: Date, now: number): string {
  const minutes = (now - date.getTime()) / 60_000;
  if (minutes < 1) return "just now";
  if (minutes < HOUR) return `${Math.floor(minutes)}m ago`;
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)}h ago`;
  if (minutes < WEEK) return `${Math.floor(minutes / DAY)}d ago`;
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return date.getFullYear() === new Date(now).getFullYear() ? day : `${day} ${date.getFullYear()}`;
}
