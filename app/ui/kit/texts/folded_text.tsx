/**
 * A text that shows only its start if it is long, with a button that shows the rest.
 *
 * The rest is in the document: the browser's search and the words of a search (found.ts) lead to it and show it.
 */
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { FoldedTextProps } from "../views.ts";
import { foldAt } from "./fold.ts";

export function FoldedText({ text, more, less, className }: FoldedTextProps): ReactNode {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const rest = useRef<HTMLDivElement>(null);
  const at = foldAt(text);
  const isFolded = at > 0 && !open;
  const head = text.slice(0, at);
  useLayoutEffect(() => {
    const hidden = rest.current;
    if (!isFolded || !hidden) return undefined;
    const show = () => setOpen(true);
    hidden.setAttribute("hidden", "until-found"); // React would write only `hidden`
    hidden.addEventListener("beforematch", show);
    return () => hidden.removeEventListener("beforematch", show);
  }, [isFolded]);
  const turned = useRef(false);
  useLayoutEffect(() => {
    if (turned.current && !open) box.current?.scrollIntoView({ block: "nearest" }); // the end of a long text was in view
    turned.current = true;
  }, [open]);
  return (
    <>
      <div ref={box} className={className} dir="auto">
        {isFolded ? <span className={head.endsWith("\n") ? undefined : "folded-head"}>{head}</span> : text}
        {isFolded ? (
          <div ref={rest} className="folded-rest">
            {text.slice(at)}
          </div>
        ) : null}
      </div>
      {at > 0 ? (
        <button type="button" className="show-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? less : more}
        </button>
      ) : null}
    </>
  );
}
