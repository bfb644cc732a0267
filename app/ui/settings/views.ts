// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface SectionLink {
  readonly id: string;
  readonly name: string;
}

export interface KeyFieldProps {
  readonly text: string;
  readonly label: string;
  readonly asking: boolean;
  readonly askingText: string;
  readonly askingLabel: string;
  readonly hint: string;
  readonly onAsk?: (() => void) | undefined;
  readonly onPress?: ((key: string, combined: boolean) => void) | undefined;
  readonly onLeave?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface SectionsProps {
  readonly label: string;
  readonly links: readonly SectionLink[];
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TabButtonProps {
  readonly shown: boolean;
  readonly asking: boolean;
  readonly address: string;
  readonly onOpen?: ((value0: boolean) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
