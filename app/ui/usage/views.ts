// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface TextFileProps {
  readonly accept: string;
  readonly label: string;
  readonly onPiece?: ((number: number, text: string, is_last: boolean) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
