/** Figures in words: tokens, money, how sure. By hand: the browser's own formatters take milliseconds to make. */

export const number = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export const plural = (count, noun, several = `${noun}s`) => `${number(count)} ${count === 1 ? noun : several}`;

/** "~1,234"; without the sign if it is exact. */
export const band = (tokens, share) => `${share ? "~" : ""}${number(tokens)}`;

/** How far the truth may be off: "±5 %". */
export const bandWords = (share) => (share ? `±${Math.max(1, Math.round(share * 100))} %` : "exact");

/**
 * US dollars as short as they can be read: "$1.20", "$0.034", "$0.0004". Free is what a model on one's own machine
 * costs; a price nobody knows is "≥ $0".
 */
export function money(cost) {
  if (cost === "unknown" || cost === null || cost === undefined) return "≥ $0";
  const dollars = Number(cost);
  if (dollars === 0) return "free";
  if (dollars >= 1) return `$${number(Math.trunc(dollars))}.${dollars.toFixed(2).split(".")[1]}`;
  if (dollars < 0.0001) return "< $0.0001";
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : 3)}`;
}

/** A cost with its "at least": "$0.03", "≥ $0.03", "≥ $0" where nothing is known, "free". */
export function charged({ cost, cost_at_least }) {
  if (!cost_at_least || cost === "unknown") return money(cost);
  return Number(cost) ? `≥ ${money(cost).replace(/^< /, "")}` : "≥ $0";
}
