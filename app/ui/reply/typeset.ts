/** KaTeX and its fonts, apart so that they are only fetched when there is a formula to set. */
import katex from "katex";
import "katex/dist/katex.min.css";

const OPTIONS = { throwOnError: true, strict: "ignore", trust: false, maxExpand: 200, maxSize: 50 } as const;

/** Set `tex` into `place`. Returns why it could not be, "" if it could; the place then keeps what it held. */
export function typeset(tex: string, place: HTMLElement, displayMode: boolean): string {
  try {
    const set = document.createElement("span");
    katex.render(tex, set, { ...OPTIONS, displayMode });
    place.replaceChildren(...set.childNodes);
    return "";
  } catch (error) {
    // Groups without braces can be nested beyond the stack: `\sqrt\sqrt\sqrt…`.
    if (error instanceof katex.ParseError || error instanceof RangeError) return error.message;
    throw error;
  }
}
