/** Sections of the inspector, versions and forks, for the scripts that are not Python yet: they ask its states. */
let state = null; // its events

export const inspect = (name) => state?.show(name);
/** Fork after this pair; it may be asked which pairs are meant. */
export const askFork = (pairId) => state?.fork(pairId);

export const toggleSection = (name) => state?.toggle(name);

/** To the version before, and with the next swap back again. */
export const swapVersion = (pair) => state?.swap(pair.id);

/** The events of the inspector that is on the page now. */
export const answerWith = (events) => {
  state = events;
};
