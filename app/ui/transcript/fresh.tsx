/** Its children, while the reply of a pair is one that grew out of sight while somebody typed. */
import type { ReactNode } from "react";
import { fresh } from "./overflow.ts";
import type { FreshProps } from "./views.ts";

export function Fresh({ pairId, children }: FreshProps): ReactNode {
  return fresh.use() === pairId ? children : null;
}
