// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface MarkdownWords {
  readonly plain: string;
  readonly copy: string;
  readonly copy_code: string;
  readonly copied: string;
  readonly copy_refused: string;
  readonly table: string;
  readonly done: string;
  readonly not_done: string;
  readonly load_picture: string;
  readonly load_named_picture: string;
  readonly note: string;
  readonly tip: string;
  readonly important: string;
  readonly warning: string;
  readonly caution: string;
  readonly footnote: string;
  readonly note_back: string;
  readonly formula_refused: string;
}

export interface EditKeysProps {
  readonly edit: string;
  readonly keptAs: string;
  readonly asked: boolean;
  readonly onWrite?: ((edit: string, text: string) => void) | undefined;
  readonly onEscape?: ((edit: string, text: string) => void) | undefined;
  readonly onLeave?: ((edit: string, text: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface MarkdownProps {
  readonly text: string;
  readonly live: boolean;
  readonly words: MarkdownWords;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
