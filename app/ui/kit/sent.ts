/** Texts sent from this tab. The window of pairs goes to the pair of one when it appears, wherever it was. */
export const sentHere = new Set<string>();
