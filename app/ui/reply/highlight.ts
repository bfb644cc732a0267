/** The highlighter, apart so that it is only fetched when there is code to colour: 37 common languages. */
import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** Coloured code: a tree of spans and texts. */
export type Tree = ReturnType<typeof lowlight.highlight>;

/** The text as a tree of coloured spans, null for a language it does not know. */
export const highlight = (text: string, language: string): Tree | null =>
  lowlight.registered(language) ? lowlight.highlight(language, text) : null;
