// Written by `make types` from the Python of this region. Do not edit.

import type { ReactNode } from "react";

export interface OptionRow {
  readonly value: string;
  readonly name: string;
  readonly note: string;
  readonly group: string;
  readonly group_note: string;
  readonly usable: boolean;
  readonly words: string;
}

export type Place = "composer" | "filter" | "history" | "transcript" | "page" | "queue" | "stop" | "compare" | "send" | "write" | "draft" | "attach" | "photo" | "title" | "keys" | "leave" | "pair" | "typing" | "next_part" | "previous_part" | "next_pair" | "previous_pair" | "first_pair" | "last_pair" | "newest_reply" | "first_sent" | "copy" | "delete";

export type TimeForm = "ago" | "clock" | "time" | "day" | "full";

export interface ArrowsProps {
  readonly among: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly words: string;
  readonly doneWords: string;
  readonly refusedWords: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface CountdownProps {
  readonly until: string;
  readonly now: string;
  readonly after: string;
  readonly hours: string;
  readonly seconds?: string | undefined;
  readonly late?: number | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface CurrentProps {
  readonly edition: number;
  readonly old: boolean;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface DeferredProps {
  readonly when: boolean;
  readonly name: string;
  readonly load: () => unknown;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface DialogProps {
  readonly label: string;
  readonly at?: string | undefined;
  readonly keys?: string | undefined;
  readonly onClose?: (() => void) | undefined;
  readonly onKey?: ((value0: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface DisclosureProps {
  readonly summary: ReactNode;
  readonly status?: string | undefined;
  readonly missing?: string | undefined;
  readonly opened?: boolean | undefined;
  readonly onNeed?: (() => void) | undefined;
  readonly onFold?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface DrawerProps {
  readonly label: string;
  readonly onLook?: ((value0: boolean) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface DrawerToggleProps {
  readonly label: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface FileUploadProps {
  readonly address: string;
  readonly type: string;
  readonly accept: string;
  readonly label: string;
  readonly onAnswers?: ((names: readonly string[], answers: readonly string[]) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface FoldedTextProps {
  readonly text: string;
  readonly more: string;
  readonly less: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface FormKeysProps {
  readonly enter?: boolean | undefined;
  readonly edit?: string | undefined;
  readonly onEscape?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface JsonLinesProps {
  readonly text: string;
  readonly depth?: number | undefined;
  readonly plain?: boolean | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface MenuButtonProps {
  readonly label: string;
  readonly face: ReactNode;
  readonly popup: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface MomentProps {
  readonly at: string;
  readonly form?: TimeForm | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface OnChangeProps {
  readonly value: string;
  readonly onChange?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface OnPageProps {
  readonly path: string;
  readonly elsewhere: ReactNode;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface OptionListProps {
  readonly rows: readonly OptionRow[];
  readonly label: string;
  readonly listLabel: string;
  readonly placeholder: string;
  readonly none: string;
  readonly chosen?: string | undefined;
  readonly closes?: boolean | undefined;
  readonly most?: number | undefined;
  readonly more?: string | undefined;
  readonly onChoose?: ((value0: string) => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface PassingProps {
  readonly milliseconds?: number | undefined;
  readonly to?: string | undefined;
  readonly onEnd?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface PlaceButtonProps {
  readonly place: Place;
  readonly label: string;
  readonly title: string;
  readonly disabled?: boolean | undefined;
  readonly opensDialog?: boolean | undefined;
  readonly onPress?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface RowFocusProps {
  readonly among: string;
  readonly heading: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface RowsProps {
  readonly among: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TabsProps {
  readonly label: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TickerProps {
  readonly milliseconds: number;
  readonly onTick?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface TipProps {
  readonly label: string;
  readonly panel: ReactNode;
  readonly panelLabel: string;
  readonly above?: boolean | undefined;
  readonly short?: boolean | undefined;
  readonly about?: string | undefined;
  readonly edition?: number | undefined;
  readonly old?: string | undefined;
  readonly oldLabel?: string | undefined;
  readonly large?: string | undefined;
  readonly largeLabel?: string | undefined;
  readonly onLook?: (() => void) | undefined;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}

export interface UntilProps {
  readonly until: string;
  readonly now: string;
  readonly children?: ReactNode;
  readonly className?: string | undefined;
}
