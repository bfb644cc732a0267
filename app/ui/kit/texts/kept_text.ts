/**
 * Keep the text of a text area over a reload, in the tab's storage under `name`. A text that was stored for the same
 * `edit` is inserted now, as if it were typed. Returns a function that stops this.
 */
export function keepText(box: HTMLTextAreaElement, name: string, edit: string): () => void {
  const kept = keptText(name, edit);
  if (kept !== undefined && kept !== box.value) {
    box.setRangeText(kept, 0, box.value.length, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const keep = () => sessionStorage.setItem(name, edit + box.value);
  addEventListener("pagehide", keep);
  return () => {
    removeEventListener("pagehide", keep);
    keep();
  };
}

/** Return the text that was stored under `name` for this `edit`, else undefined. */
export function keptText(name: string, edit: string): string | undefined {
  const kept = sessionStorage.getItem(name);
  return kept?.startsWith(edit) ? kept.slice(edit.length) : undefined;
}

/** The storage name for the text of an edited pair. */
export const EDITED = "inview.edit.text";
