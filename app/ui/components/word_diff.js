/**
 * Two texts compared word by word: what stayed, what went, what came, in order.
 *
 * diffWords("a red fox", "a grey fox")  // [{sign: "", text: "a"}, {sign: "-", text: " red"}, {sign: "+", text: " grey"}, {sign: "", text: " fox"}]
 *
 * The shortest such script, by Myers: "An O(ND) Difference Algorithm and Its Variations" (1986). A word has the blanks
 * before it; a sign is a word, and so is each character of scripts that set no blanks.
 */
const WORD = /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_])|\s+/gu;
const MOST_CHANGES = 2000; // words; texts that differ in more have little in common, and are told as gone and come

export function diffWords(before, now) {
  const [a, b] = [before.match(WORD) ?? [], now.match(WORD) ?? []];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return joined([
    ...a.slice(0, start).map(kept),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(kept),
  ]);
}

const kept = (text) => ({ sign: "", text });
const gone = (text) => ({ sign: "-", text });
const come = (text) => ({ sign: "+", text });

function middle(a, b) {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  const furthest = new Int32Array(2 * most + 3); // by diagonal: how far down `a` so many changes lead
  const trace = [];
  for (let changes = 0; changes <= most; changes++) {
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(furthest, most, diagonal, changes) ? furthest[most + 1 + diagonal + 1] : furthest[most + 1 + diagonal - 1] + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest[most + 1 + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(a, b, trace, changes);
    }
    trace.push(furthest.slice(most - changes, most + changes + 3));
  }
  return [...a.map(gone), ...b.map(come)];
}

/** Whether a diagonal is best reached by a word that came. */
const isDown = (furthest, most, diagonal, changes) =>
  diagonal === -changes || (diagonal !== changes && furthest[most + 1 + diagonal - 1] < furthest[most + 1 + diagonal + 1]);

function walkBack(a, b, trace, changes) {
  const rows = [];
  let [x, y] = [a.length, b.length];
  for (let left = changes; left > 0; left--) {
    const before = trace[left - 1]; // its middle is diagonal 0
    const at = (diagonal) => before[left + diagonal];
    const diagonal = x - y;
    const down = diagonal === -left || (diagonal !== left && at(diagonal - 1) < at(diagonal + 1));
    const from = at(down ? diagonal + 1 : diagonal - 1);
    const start = down ? from : from + 1; // where the diagonal's run of kept words begins
    while (x > start) rows.push(kept(a[(y--, --x)]));
    rows.push(down ? come(b[--y]) : gone(a[--x]));
  }
  while (x > 0) rows.push(kept(a[--x]));
  return rows.reverse();
}

/** Neighbours of one kind as one; of what changed, first all that went, then all that came. */
function joined(rows) {
  const result = [];
  let [went, came] = ["", ""];
  const flush = () => {
    if (went) result.push(gone(went));
    if (came) result.push(come(came));
    [went, came] = ["", ""];
  };
  for (const { sign, text } of rows) {
    if (sign === "-") went += text;
    else if (sign === "+") came += text;
    else {
      flush();
      if (result.at(-1)?.sign === "") result.at(-1).text += text;
      else result.push({ sign, text });
    }
  }
  flush();
  return result;
}
