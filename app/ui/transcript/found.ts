/** Marks the words of a search in the transcript, while the list of conversations is searched for them. */

const NAME = "found"; // the name in the stylesheet
const MOST = 2_000; // maximum number of marks
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

/**
 * Mark these words in the parts of pairs in `view`, also in pairs added later. `onMarked` gets the places of all words
 * whenever they change. Returns a function that stops this.
 */
export function markFound(
  view: HTMLElement,
  words: readonly string[],
  onMarked: (places: readonly StaticRange[]) => void,
): () => void {
  if (!words.length || typeof Highlight === "undefined") return () => undefined;
  const pattern = new RegExp(words.map((word) => word.replace(SPECIAL, "\\$&")).join("|"), "gi");
  const shown = new WeakSet<Element>();
  let frame = 0;
  const mark = () => {
    frame = 0;
    const places = rangesOf(view, pattern, shown);
    CSS.highlights.set(NAME, new Highlight(...places));
    onMarked(places);
  };
  const changed = new MutationObserver(() => {
    frame ||= requestAnimationFrame(mark);
  });
  changed.observe(view, { childList: true, subtree: true, characterData: true });
  mark();
  return () => {
    changed.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(NAME);
  };
}

/** `shown`: the parts with a match so far. Such a part is not unfolded again, because a person has folded it. */
function rangesOf(view: HTMLElement, pattern: RegExp, shown: WeakSet<Element>): StaticRange[] {
  const ranges: StaticRange[] = [];
  for (const part of view.querySelectorAll("[data-part]")) {
    const { length } = ranges;
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text && ranges.length < MOST; text = texts.nextNode()) {
      for (const { index, 0: word } of (text.nodeValue ?? "").matchAll(pattern)) {
        const folded = text.parentElement?.closest("[hidden]");
        if (folded && !shown.has(part)) folded.dispatchEvent(new Event("beforematch")); // expands the part
        const end = index + word.length;
        ranges.push(new StaticRange({ startContainer: text, startOffset: index, endContainer: text, endOffset: end }));
      }
    }
    if (ranges.length > length) shown.add(part);
  }
  return ranges;
}
