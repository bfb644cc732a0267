/** Marks what it holds while that is outdated: `data-old`, for the stylesheet. It has no box of its own. */
import type { ReactNode } from "react";
import { useOutdated } from "./edition.ts";
import type { CurrentProps } from "./views.ts";

export function Current({ edition, old, children }: CurrentProps): ReactNode {
  const isOutdated = useOutdated(edition);
  return (
    <div className="current" data-old={old || isOutdated || undefined}>
      {children}
    </div>
  );
}
