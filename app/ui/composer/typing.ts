/** Keys are commands only in a VIEW entered on purpose: by Esc, Tab or a press in the history (`meant`). Where the page went
 * there (`moved`), or what had the focus is gone, a word that is begun goes to the message box. */
export function catchTyping(write: () => unknown): () => void {
  const { documentElement: root } = document;
  const mean = (on: boolean) => {
    delete root.dataset.moved;
    root.toggleAttribute("data-meant", on);
  };
  const pressed = (event: KeyboardEvent) => {
    const at = event.target as Element;
    if (document.querySelector("dialog:modal")) return;
    if (event.key === "Escape" && root.matches("[data-mode=VIEW][data-moved]")) event.preventDefault(); // and reads on
    if (/^(Escape|Tab)$/.test(event.key) || at.closest(".filter-bar")) mean(true);
    else if (at.closest(".composer-place, .drawer")) mean(false);
    else if (!("meant" in root.dataset) && isText(event) && !at.closest("input, textarea, select")) write();
  };
  const pointed = ({ target }: Event) => {
    if ((target as Element).closest(".scroll, .inspector")) mean(true);
    else if ((target as Element).closest(".composer, .drawer")) mean(false);
  };
  const stop = new AbortController();
  addEventListener("keydown", pressed, { capture: true, signal: stop.signal });
  addEventListener("pointerdown", pointed, { capture: true, signal: stop.signal });
  return () => stop.abort();
}

/** A character, also one of an input method, a dead key or AltGr. Space scrolls. */
const isText = (by: KeyboardEvent) => /^(\S|Process|Dead)$/u.test(by.key) && !by.metaKey && by.ctrlKey === by.altKey;
