/**
 * Keys that belong to the conversion of a Japanese, Chinese or Korean text do not reach the page: Enter accepts a
 * suggestion there, and Escape drops it. Safari ends the composition before it reports such a key; only its code
 * differs.
 */
const CONVERTING = 229;

export {};

const stopConverting = (event: KeyboardEvent) => {
  if (event.isComposing || event.keyCode === CONVERTING) event.stopImmediatePropagation();
};

if (typeof document !== "undefined") addEventListener("keydown", stopConverting, { capture: true });
