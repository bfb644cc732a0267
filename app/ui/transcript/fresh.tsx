/** Its children, until the user goes to a reply that grew out of sight while they typed. */
import type { ReactNode } from "react";
import { fresh } from "./overflow.ts";
import type { FreshProps } from "./views.ts";

export function Fresh({ pairId, children }: FreshProps): ReactNode {
  return fresh.use() === pairId ? children : null;
}
