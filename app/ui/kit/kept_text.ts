/**
 * Keep the text of a text area over a reload, in the tab's storage under `name`. A text that was kept for the same
 * `edit` is put in now, as if it were typed. Returns a function that ends the keeping.
 */
export function keepText(box: HTMLTextAreaElement, name: string, edit: string): () => void {
  const kept = sessionStorage.getItem(name);
  if (kept?.startsWith(edit) && kept.slice(edit.length) !== box.value) {
    box.setRangeText(kept.slice(edit.length), 0, box.value.length, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const keep = () => sessionStorage.setItem(name, edit + box.value);
  addEventListener("pagehide", keep);
  return () => {
    removeEventListener("pagehide", keep);
    keep();
  };
}
