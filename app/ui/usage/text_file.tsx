/** A file field that sends a text file (UTF-8) in pieces, each small enough for one frame of the socket. */
import { type ReactNode, useRef } from "react";
import type { TextFileProps } from "./views.ts";

/** Bytes of a piece. JSON may make a piece six times as long, and a frame can have a million bytes. */
const PIECE = 150_000;

export function TextFile({ accept, label, className, onPiece }: TextFileProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const read = async () => {
    const file = field.current?.files?.[0];
    if (!file) return;
    const decoder = new TextDecoder();
    const last = Math.max(0, Math.ceil(file.size / PIECE) - 1);
    for (let number = 0; number <= last; number++) {
      const bytes = await file.slice(number * PIECE, (number + 1) * PIECE).arrayBuffer();
      const isLast = number === last;
      onPiece?.(number, decoder.decode(bytes, { stream: !isLast }), isLast);
    }
    if (field.current) field.current.value = ""; // so that the same file can be chosen again
  };
  return <input ref={field} type="file" accept={accept} aria-label={label} className={className} onChange={read} />;
}
