/** Shows its children while the reply of the pair is marked as new: it grew out of sight while the user typed. */
import type { ReactNode } from "react";
import { fresh } from "./overflow.ts";
import type { FreshProps } from "./views.ts";

export function Fresh({ pairId, children }: FreshProps): ReactNode {
  return fresh.use() === pairId ? children : null;
}
