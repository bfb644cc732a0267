// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface LineFeedbackView {
  readonly line: string;
  readonly command: string;
  readonly description: string;
  readonly notices: readonly string[];
  readonly mistake: MistakeView | null;
  readonly answer: string;
  readonly refused: boolean;
  readonly start: number;
  readonly end: number;
  readonly suggestions: readonly SuggestionView[];
  readonly offered: boolean;
  readonly entered: boolean;
  readonly count: string;
}

export interface MistakeView {
  readonly message: string;
  readonly has_place: boolean;
  readonly before: string;
  readonly wrong: string;
  readonly after: string;
  readonly place: string;
}

export interface SuggestionView {
  readonly text: string;
  readonly means: string;
}

export interface WrittenLine {
  readonly number: number;
  readonly line: string;
  readonly before: string;
}

export interface FilterAddressProps {
  readonly filter: string | null;
  readonly steps: number;
  readonly read: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface FilterLineProps {
  readonly applied: string;
  readonly feedback: LineFeedbackView;
  readonly past: readonly string[] | null;
  readonly done: number;
  readonly written: WrittenLine;
  readonly failed: boolean;
  readonly savedOpen: boolean;
  readonly label: string;
  readonly placeholder: string;
  readonly foldLabel: string;
  readonly foldTitle: string;
  readonly listLabel: string;
  readonly icon: ReactNode;
  readonly summary: ReactNode;
  readonly chips: ReactNode;
  readonly says: ReactNode;
  readonly keys: ReactNode;
  readonly buttons: ReactNode;
  readonly onBegin?: (() => void) | undefined;
  readonly onCheck?: ((line: string, cursor: number) => void) | undefined;
  readonly onEnter?: ((value0: string) => void) | undefined;
  readonly onLeave?: (() => void) | undefined;
  readonly onCloseSaved?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
