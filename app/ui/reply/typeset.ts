/** KaTeX and its fonts, in a separate file so that they are fetched only when there is a formula. */
import katex from "katex";
import "katex/dist/katex.min.css";

const OPTIONS = { throwOnError: true, strict: "ignore", trust: false, maxExpand: 200, maxSize: 50 } as const;

/** Typeset `tex` into `place`. Returns the reason of a failure, "" for none. After a failure, `place` is unchanged. */
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
