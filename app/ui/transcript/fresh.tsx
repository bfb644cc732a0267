/** Shows its children while the reply is marked as new: it became taller than the window while the user typed. */
import type { ReactNode } from "react";
import { fresh } from "./overflow.ts";
import type { FreshProps } from "./views.ts";

export function Fresh({ pairId, children }: FreshProps): ReactNode {
  return fresh.use() === pairId ? children : null;
}
