/** Which options of a list fit what is typed, and how they stand below the names of their groups. */
import type { OptionRow } from "./views.ts";

/** The rows that have all words typed; a group without options is there while nothing is typed. */
export function fitting(rows: readonly OptionRow[], typed: string): readonly OptionRow[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return rows;
  const has = (row: OptionRow, word: string) =>
    `${row.group} ${row.name} ${row.value} ${row.note} ${row.words}`.toLowerCase().includes(word);
  return rows.filter((row) => row.name && words.every((word) => has(row, word)));
}

/** In groups, in the order in which these begin. */
export const grouped = (rows: readonly OptionRow[]): readonly [OptionRow, ...OptionRow[]][] =>
  [...Map.groupBy(rows, ({ group }) => group).values()] as [OptionRow, ...OptionRow[]][]; // none is empty
