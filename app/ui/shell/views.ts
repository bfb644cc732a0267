// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface KeyBinding {
  readonly action: string;
  readonly key: string;
  readonly mode: Mode;
  readonly fixed: boolean;
  readonly place: Place | null;
  readonly pair: "none" | "some" | "must";
  readonly sends: boolean;
  readonly opens: boolean;
  readonly inspector: boolean;
  readonly ends: boolean;
}

export type Mode = "VIEW" | "INPUT" | "COMMAND" | "anywhere";

export interface OwnKey {
  readonly action: string;
  readonly key: string;
}

export type Place = "composer" | "filter" | "history" | "transcript" | "page" | "queue" | "stop" | "compare" | "send" | "write" | "draft" | "attach" | "photo" | "title" | "keys" | "leave" | "pair" | "typing" | "next_part" | "previous_part" | "next_pair" | "previous_pair" | "first_pair" | "last_pair" | "newest_reply" | "first_sent" | "copy" | "delete";

export interface KeyboardProps {
  readonly bindings: readonly KeyBinding[];
  readonly own: readonly OwnKey[];
  readonly known: boolean;
  readonly openers: readonly string[];
  readonly answered: number;
  readonly onPerform?: ((action: string, pair_id: string, opening: number) => void) | undefined;
  readonly onAsk?: ((value0: number) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
