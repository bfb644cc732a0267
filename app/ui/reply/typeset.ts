/** KaTeX and its fonts, apart so that they are only fetched when there is a formula to set. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Set `tex` into `place`. Returns why it could not be, "" if it could; the place then keeps what it held. */
export function typeset(tex: string, place: HTMLElement, displayMode: boolean): string {
  try {
    const set = document.createElement("span");
    katex.render(tex, set, {
      displayMode,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 200,
      maxSize: 50,
    });
    place.replaceChildren(...set.childNodes);
    return "";
  } catch (error) {
    if (error instanceof katex.ParseError) return error.message;
    throw error;
  }
}
