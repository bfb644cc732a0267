/** The options of a list that match the typed text, and their groups. */
import type { OptionRow } from "../views.ts";

/** Return the rows that contain all typed words; a group without options is included while nothing is typed. */
export function fitting(rows: readonly OptionRow[], typed: string): readonly OptionRow[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return rows;
  const has = (row: OptionRow, word: string) =>
    `${row.group} ${row.name} ${row.value} ${row.note} ${row.words}`.toLowerCase().includes(word);
  return rows.filter((row) => row.name && words.every((word) => has(row, word)));
}

/** Group the rows, in the order of the first row of each group. */
export const grouped = (rows: readonly OptionRow[]): readonly [OptionRow, ...OptionRow[]][] =>
  [...Map.groupBy(rows, ({ group }) => group).values()] as [OptionRow, ...OptionRow[]][]; // no group is empty
