/** Where a key leads in a tree that is given by the levels of its lines, from the line `at`; null: nowhere. */
export function nextItem(key: string, levels: readonly number[], at: number): number | null {
  const level = levels[at];
  if (level === undefined) return null;
  const last = levels.length - 1;
  switch (key) {
    case "ArrowDown":
      return at < last ? at + 1 : null;
    case "ArrowUp":
      return at > 0 ? at - 1 : null;
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowRight":
      return (levels[at + 1] ?? 0) > level ? at + 1 : null;
    case "ArrowLeft": {
      const parent = levels.slice(0, at).lastIndexOf(level - 1);
      return parent < 0 ? null : parent;
    }
    default:
      return null;
  }
}
