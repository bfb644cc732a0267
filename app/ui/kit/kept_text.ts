/**
 * Keep what is written in a text area over a reload, under a name of its own. What is kept there is put in now, as if it
 * were typed. Returns what ends it. An `edit` finds its own text only.
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
