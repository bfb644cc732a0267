// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface BoxOrder {
  readonly id: string;
  readonly kind: OrderKind;
  readonly text: string;
}

export type OrderKind = "put" | "put_if_empty" | "insert" | "replace" | "put_edit" | "send" | "say" | "focus";

export interface PromptRow {
  readonly id: string;
  readonly text: string;
  readonly means: string;
  readonly source: string;
  readonly words: string;
}

export interface SendAnswer {
  readonly id: string;
  readonly accepted: boolean;
  readonly moved: string;
}

export interface DraftButtonProps {
  readonly disabled: boolean;
  readonly onPress?: (() => void) | undefined;
  readonly onEmpty?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface FileChooserProps {
  readonly address: string;
  readonly accept: string;
  readonly photos: boolean;
  readonly keys: readonly string[];
  readonly onBegin?: ((key: string, name: string, length: number) => void) | undefined;
  readonly onProgress?: ((key: string, percent: number) => void) | undefined;
  readonly onEnd?: ((key: string, status: number, body: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface SendNoticeProps {
  readonly refused: boolean;
  readonly lost: string;
  readonly unsent: string;
  readonly long: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface SubmitButtonProps {
  readonly label: string;
  readonly title: string;
  readonly idle: boolean;
  readonly until?: string | undefined;
  readonly now?: string | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface SwitchProps {
  readonly on: boolean;
  readonly describedBy: string;
  readonly onTurn?: ((value0: boolean) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TextAreaProps {
  readonly label: string;
  readonly placeholder: string;
  readonly most: number;
  readonly schema: string;
  readonly files: string;
  readonly restored: number;
  readonly attached: boolean;
  readonly lasting: string | null;
  readonly answers: readonly SendAnswer[];
  readonly order: BoxOrder | null;
  readonly busy: boolean;
  readonly queued: boolean;
  readonly prompts: readonly PromptRow[];
  readonly promptsLabel: string;
  readonly promptsSaid: string;
  readonly onSend?: ((send_id: string, text: string, order_id: string) => void) | undefined;
  readonly onWrite?: ((draft: string, typed: boolean, edition: number) => void) | undefined;
  readonly onRestore?: ((draft: string, schema: string, files: string, edition: number, restore_id: number) => void) | undefined;
  readonly onFinish?: ((value0: string) => void) | undefined;
  readonly onPreview?: (() => void) | undefined;
  readonly onCompare?: (() => void) | undefined;
  readonly onEmpty?: (() => void) | undefined;
  readonly onSlash?: (() => void) | undefined;
  readonly onPrompt?: ((value0: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
