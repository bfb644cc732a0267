/** The line that a key moves to from the line `at`, in a tree given by the levels of its lines; null: none. */
export function nextItem(key: string, levels: readonly number[], at: number): number | null {
  const level = levels[at];
  if (level === undefined) return null;
  const leads: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: levels.length - 1,
    ArrowRight: (levels[at + 1] ?? 0) > level ? at + 1 : -1,
    ArrowLeft: levels.slice(0, at).lastIndexOf(level - 1),
  };
  const next = leads[key] ?? -1;
  return next in levels ? next : null;
}
