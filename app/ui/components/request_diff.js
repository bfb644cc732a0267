/**
 * Two lists of messages compared: which stayed, which went, which came, in order.
 *
 * compareMessages([a, b], [b, c])  // [{sign: "-", message: a}, {sign: "", message: b}, {sign: "+", message: c}]
 */
const MOST_CELLS = 4_000_000; // of the table; beyond, what lies between the common ends is told as gone and come

/** A value as text that is equal for equal values, whatever the order of their keys. */
export const keyOf = (value) => JSON.stringify(value, (_, inner) => (inner && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner));

export function compareMessages(before, now) {
  const key = ({ role, parts }) => keyOf([role, parts]);
  const [a, b] = [before.map(key), now.map(key)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const kept = (message) => ({ sign: "", message });
  return [
    ...now.slice(0, start).map(kept),
    ...middle(before.slice(start, before.length - end), now.slice(start, now.length - end), a.slice(start), b.slice(start)),
    ...now.slice(now.length - end).map(kept),
  ];
}

/** By the longest common subsequence. */
function middle(before, now, a, b) {
  const gone = (message) => ({ sign: "-", message });
  const come = (message) => ({ sign: "+", message });
  const [n, m] = [before.length, now.length];
  if (n * m > MOST_CELLS) return [...before.map(gone), ...now.map(come)];
  const width = m + 1;
  const length = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < n && j < m) {
    if (a[i] === b[j]) rows.push({ sign: "", message: now[(i++, j++)] });
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) rows.push(gone(before[i++]));
    else rows.push(come(now[j++]));
  }
  return [...rows, ...before.slice(i).map(gone), ...now.slice(j).map(come)];
}
