// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface PassingProps {
  readonly milliseconds: number;
  readonly onEnd?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
