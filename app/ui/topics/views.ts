// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface TopicTreeRow {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly label: string;
  readonly depth: number;
  readonly chosen: boolean;
  readonly count: string;
  readonly count_title: string;
  readonly change: string;
  readonly create: string;
}

export interface TopicTreeProps {
  readonly rows: readonly TopicTreeRow[];
  readonly query: string;
  readonly start: number;
  readonly byHand: boolean;
  readonly label: string;
  readonly placeholder: string;
  readonly treeLabel: string;
  readonly changeTitle: string;
  readonly changeSign: string;
  readonly onSearch?: ((value0: string) => void) | undefined;
  readonly onChoose?: ((query: string, index: number) => void) | undefined;
  readonly onEdit?: ((value0: string) => void) | undefined;
  readonly onDrop?: ((topic: string, target: string, place: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
