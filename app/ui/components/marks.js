/**
 * What a person notes on pairs: stars, flag, in or out, topic. Shown at once, then sent; what is refused is taken back.
 *
 * Not how it looks (marks.jsx). Every change leaves its inverse on the stack of undos.
 */
import { ask } from "./api.js";
import { amend, foresee } from "./live.js";
import { tellOf } from "./toasts.js";

const NEXT_MARK = { in: "out", out: null };

export const star = (pair, stars) => mark(pair, { stars: pair.stars === stars ? 0 : stars }, (now) => (now.stars ? `${now.stars} ${now.stars === 1 ? "star" : "stars"}` : "No stars"));
export const setStars = (pair, stars) => (pair.stars === stars ? undefined : star(pair, stars));
export const toggleFlag = (pair) => mark(pair, { flagged: !pair.flagged }, (now) => (now.flagged ? "Flagged" : "Flag taken away"));
export const cycleMark = (pair) => mark(pair, { mark: pair.mark ? NEXT_MARK[pair.mark] : "in" }, (now) => (now.mark ? `Marked ${now.mark}` : "Mark taken away"));

/** File a pair under a topic, {id, path}; null: under none. */
export const file = (pair, topic) => mark(pair, { topic_id: topic?.id ?? null, topic: topic?.path ?? null }, (now) => (now.topic ? `Filed under ${now.topic}` : "Filed under no topic"));

function mark(pair, changes, words) {
  const before = Object.fromEntries(Object.keys(changes).map((field) => [field, pair[field] ?? null]));
  return tellOf(
    change(pair.id, changes, before),
    () => `Pair ${pair.position}: ${words(changes)}`,
    () => change(pair.id, before, changes),
  );
}

async function change(id, changes, before) {
  const { topic, ...sent } = changes; // its path is for the eyes; the API takes the id
  const settle = foresee(id, changes);
  try {
    await ask("PATCH", `/pairs/${id}`, sent);
    settle();
  } catch (problem) {
    settle();
    amend(id, before);
    throw problem;
  }
}

/** Delete a pair; it can be brought back. */
export const deletePair = (pair) =>
  tellOf(
    ask("DELETE", `/pairs/${pair.id}`),
    () => `Pair ${pair.position}: Deleted`,
    () => ask("POST", `/pairs/${pair.id}/undelete`, {}),
  );
