/** Where a key leads in a tree that is given by the levels of its lines, from the line `at`; null: nowhere. */
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
