/**
 * Marks its content for the stylesheet: `data-old` while it is outdated, `data-large` while the draft is too large to
 * send. It adds no box to the layout.
 */
import type { ReactNode } from "react";
import { oversize, useOutdated } from "../connection/edition.ts";
import type { CurrentProps } from "../views.ts";

export function Current({ edition, old, children }: CurrentProps): ReactNode {
  const isOutdated = useOutdated(edition);
  const isLarge = oversize.use() > 0;
  return (
    <div className="current" data-old={old || isOutdated || undefined} data-large={isLarge || undefined}>
      {children}
    </div>
  );
}
