// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface HashCheckProps {
  readonly text: string;
  readonly expected: string;
  readonly same: string;
  readonly other: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface InspectorFrameProps {
  readonly section: string;
  readonly label: string;
  readonly covers: string;
  readonly ready: boolean;
  readonly onClose?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TreeProps {
  readonly label: string;
  readonly current: string;
  readonly frame: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
