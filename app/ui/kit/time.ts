/** Times as people say them; in English by hand, as the browser's formatters take ten milliseconds to make. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const UNITS = { m: "minute", h: "hour", d: "day" } as const;

let relative: Intl.RelativeTimeFormat | undefined;

/** The language of the page; undefined where the browser's own variety of it serves (en-GB for en). */
export const locale = (): string | undefined =>
  navigator.language.startsWith(document.documentElement.lang) ? undefined : document.documentElement.lang;

/** A number with two digits at least. */
export const two = (number: number): string => String(number).padStart(2, "0");

/** "14:05", in the reader's zone. */
export const clock = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`;

/** "now", "5m ago", "3h ago", "2d ago", "21 Nov", "21 Nov 2024", in `lang`. `now`: milliseconds since 1970. */
export function ago(date: Date, now: number, lang: string): string {
  const minutes = (now - date.getTime()) / 60_000;
  if (minutes < 1) return written(0, "m", lang);
  if (minutes < HOUR) return written(Math.floor(minutes), "m", lang);
  if (minutes < DAY) return written(Math.floor(minutes / HOUR), "h", lang);
  if (minutes < WEEK) return written(Math.floor(minutes / DAY), "d", lang);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  if (lang !== "en")
    return date.toLocaleDateString(lang, { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) });
  return `${date.getDate()} ${MONTHS[date.getMonth()]}${sameYear ? "" : ` ${date.getFullYear()}`}`;
}

function written(count: number, unit: keyof typeof UNITS, lang: string): string {
  if (lang === "en") return count === 0 ? "now" : `${count}${unit} ago`;
  relative ??= new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "short" });
  return relative.format(-count, count === 0 ? "second" : UNITS[unit]);
}
