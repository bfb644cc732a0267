// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface CardProgressView {
  readonly share: number;
  readonly label: string;
  readonly text: string;
  readonly conversation_id: string;
}

export type CardStatus = "input-streaming" | "input-available" | "waiting" | "output-available" | "output-error" | "denied" | "unanswered";

export interface ComparedColumnView {
  readonly run_id: string;
  readonly model: string;
  readonly model_name: string;
  readonly lifecycle: Lifecycle;
  readonly status: string;
  readonly running: boolean;
  readonly is_current: boolean;
  readonly parts: readonly (TextView | ThinkingView | ImageView | FileView | TextFileView | ToolCardView | ToolAnswerView)[];
  readonly error: FailureNote | null;
  readonly figures: string;
}

export interface ComparedColumnsView {
  readonly title: string;
  readonly columns: readonly ComparedColumnView[];
  readonly damage: string;
}

export interface FailureNote {
  readonly error_class: string;
  readonly label: string;
  readonly message: string;
  readonly next_step: string;
  readonly steps: readonly FailureStep[];
  readonly recovered: boolean;
}

export type FailureStep = "settings" | "retry" | "fit" | "edit" | "other_model" | "include" | "snapshot" | "delete";

export interface FaultPlaceView {
  readonly place: string;
  readonly message: string;
}

export interface FileView {
  readonly type: "file";
  readonly attachment_id: string;
  readonly media_type: string;
  readonly name: string;
}

export type Fit = "open" | "fits" | "faulty";

export interface FoundWords {
  readonly conversation: string;
  readonly words: readonly string[];
}

export interface ImageView {
  readonly type: "image";
  readonly attachment_id: string;
  readonly media_type: string;
  readonly width: number;
  readonly height: number;
}

export interface KeptBackNote {
  readonly text: string;
  readonly label: string;
  readonly title: string;
}

export type Lifecycle = "idle" | "sending" | "awaiting" | "succeeded" | "error" | "canceled";

export type Mark = "in" | "out";

export type OutReason = "over_budget" | "before_checkpoint" | "failed" | "filtered" | "damaged";

export interface ReadReplyView {
  readonly fit: Fit;
  readonly state: string;
  readonly value: string;
  readonly is_text: boolean;
  readonly faults: readonly FaultPlaceView[];
  readonly repair: string;
  readonly schema: string;
}

export type RequestForm = "plain" | "formatted" | "sent";

export interface ScreenAttachment {
  readonly kind: "image" | "file" | "text" | "lost";
  readonly name: string;
  readonly address: string;
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

export interface ScreenPairView {
  readonly id: string;
  readonly conversation_id: string;
  readonly position: number;
  readonly topic: string | null;
  readonly topic_id: string | null;
  readonly topic_is_missing: boolean;
  readonly model: string;
  readonly model_name: string;
  readonly agent_id: string | null;
  readonly agent: string | null;
  readonly stars: number;
  readonly flagged: boolean;
  readonly mark: Mark | null;
  readonly lifecycle: Lifecycle;
  readonly out: OutReason | null;
  readonly error: FailureNote | null;
  readonly stop_reason: StopReason | null;
  readonly tokens: number | null;
  readonly unsupported: readonly string[];
  readonly spent: SpentNote | null;
  readonly run_id: string | null;
  readonly replayed: boolean;
  readonly structured: boolean;
  readonly asked: string;
  readonly read: ReadReplyView | null;
  readonly kept_back: KeptBackNote | null;
  readonly version: number;
  readonly versions: number;
  readonly made_at: string;
  readonly updated_at: string;
  readonly user_text: string;
  readonly parts: readonly (TextView | ThinkingView | ImageView | FileView | TextFileView | ToolCardView | ToolAnswerView)[];
  readonly attached: readonly ScreenAttachment[];
  readonly damage: readonly string[];
  readonly form: RequestForm;
  readonly unread: boolean;
  readonly begins: boolean;
  readonly switched: boolean;
  readonly out_for: string;
}

export interface SpentNote {
  readonly text: string;
  readonly title: string;
  readonly cached: string;
}

export type StopReason = "end" | "max_tokens" | "stop_sequence" | "tool_calls" | "content_filter" | "refusal" | "repetition" | "pause" | "tool_limit";

export interface TextFileView {
  readonly type: "text_file";
  readonly name: string;
  readonly text: string;
}

export interface TextView {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkingView {
  readonly type: "thinking";
  readonly text: string;
  readonly redacted: boolean;
}

export interface ToolAnswerView {
  readonly type: "tool_result";
  readonly tool_call_id: string;
  readonly is_error: boolean;
}

export interface ToolCardView {
  readonly type: "tool_call";
  readonly tool_call_id: string;
  readonly name: string;
  readonly input_json: string;
  readonly status: CardStatus;
  readonly gist: string;
  readonly state: string;
  readonly took: string;
  readonly progress: CardProgressView | null;
}

export interface FreshProps {
  readonly pairId: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface RecoveryProps {
  readonly pairs: readonly ScreenPairView[];
  readonly compared: ComparedColumnsView | null;
  readonly onGiven?: ((run_id: string, parts: readonly (Readonly<Record<string, string>>)[]) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TitleFieldProps {
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly onRename?: ((value0: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TranscriptWindowProps {
  readonly path: string;
  readonly pairs: readonly ScreenPairView[];
  readonly rows: readonly ReactNode[];
  readonly earlier: boolean;
  readonly later: boolean;
  readonly firstSent: number;
  readonly running: string;
  readonly ended: string;
  readonly entersView: boolean;
  readonly compared: string;
  readonly label: string;
  readonly above: ReactNode;
  readonly waiting: ReactNode;
  readonly sending: ReactNode;
  readonly more: string;
  readonly less: string;
  readonly jump: ReactNode;
  readonly jumpLabel: string;
  readonly jumpTitle: string;
  readonly newLabel: string;
  readonly notes: ReactNode;
  readonly found: readonly FoundWords[];
  readonly onEarlier?: (() => void) | undefined;
  readonly onLater?: (() => void) | undefined;
  readonly onNewest?: (() => void) | undefined;
  readonly onPosition?: ((value0: number) => void) | undefined;
  readonly onCopied?: ((pair_id: string, request: boolean, copied: boolean) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
