/** What beginning a comparison takes, wherever that is done: the composer (a new request) or a pair (answered again). */

let expected = false; // begun in this tab, perhaps on the page before: then its replies are what one wants to see

export const expectReplies = (yes = true) => (expected = yes);

/** Whether the comparison that opens was begun here; says so once. */
export function takeExpected() {
  const said = expected;
  expected = false;
  return said;
}

/** The ways out where it does not fit: its models are chosen, and a summary would be of one alone. */
export const ofSeveral = (problem) => ({ ...problem, larger: [], summarise: null });
