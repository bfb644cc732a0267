/** Its children, while the reply of a pair is one that grew out of sight while somebody typed. */
import { type ReactNode, useSyncExternalStore } from "react";
import { freshPairId, subscribeFresh } from "./overflow.ts";
import type { FreshProps } from "./views.ts";

export function Fresh({ pairId, children }: FreshProps): ReactNode {
  const isFresh = useSyncExternalStore(
    subscribeFresh,
    () => freshPairId() === pairId,
    () => false,
  );
  return isFresh ? children : null;
}
