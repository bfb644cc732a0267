/**
 * The prompts whose names fit a text of "/" and a word. The focus stays in the box: arrows walk, Enter or Tab takes one,
 * Escape leaves the text as it is, and so does whatever is no name.
 */
import { type KeyboardEvent, useState } from "react";
import { currentLink } from "../kit/link.ts";
import { Suggestions } from "../kit/suggestions.tsx";
import type { PromptRow, TextAreaProps } from "./views.ts";

export const NAME = /^\/(\S*)$/;
const MOST = 50;

/** The list, what the box says of it, and what it is to be told: input, keys (true: it was the list's), the end. */
export function usePrompts({ prompts, promptsLabel, promptsSaid, onSlash, onPrompt }: TextAreaProps) {
  const [name, setName] = useState<string>();
  const [at, point] = useState(0);
  const found = name === undefined ? [] : fitting(prompts, name.toLowerCase()).slice(0, MOST);
  const end = () => setName(undefined);
  const take = ({ id }: PromptRow) => {
    end();
    onPrompt?.(id);
  };
  const type = (text: string) => {
    if (text === "/" && currentLink() !== "lost") onSlash?.();
    if (text === "/" || name !== undefined) setName(NAME.exec(text)?.[1]);
    point(0);
  };
  const press = ({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    const row = found[at];
    if (!row || shiftKey || ctrlKey || metaKey || altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) point((at + step + found.length) % found.length);
    else if (key === "Enter" || key === "Tab") take(row);
    else if (key === "Escape") end();
    else return false;
    return true;
  };
  const list = (
    <div className="prompt-list" hidden={!found.length}>
      <Suggestions id="prompts" label={promptsLabel} of={found} at={at} onPoint={point} onTake={take} />
      <p className="unseen" role="status">
        {found.length ? promptsSaid.replace("{count}", String(found.length)) : ""}
      </p>
    </div>
  );
  const aria = found[at] && { "aria-controls": "prompts", "aria-activedescendant": `prompts-${at}` };
  return { list, aria, type, press, end };
}

/** First those whose names begin so. */
function fitting(prompts: readonly PromptRow[], name: string): readonly PromptRow[] {
  const later = ({ text }: PromptRow) => Number(!text.toLowerCase().startsWith(`/${name}`));
  return prompts.filter(({ words }) => words.includes(name)).sort((a, b) => later(a) - later(b));
}
