/**
 * The list of prompts that is shown while the text in the box is "/" and a part of their names. The focus stays in the
 * box: arrows move in the list, Enter or Tab inserts a prompt, Escape closes the list and keeps the text.
 */
import { type KeyboardEvent, useState } from "react";
import { currentLink } from "../kit/connection/link.ts";
import { Suggestions } from "../kit/controls/suggestions.tsx";
import type { PromptRow, TextAreaProps } from "./views.ts";

export const NAME = /^\/(\S*)$/;
const MOST = 50;

/**
 * Return the list, the ARIA attributes of the box, and functions: `type` gets the text of the box after each input,
 * `press` handles a key (true: the list used it), `end` closes the list.
 */
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

/** Return the prompts that contain a text. Those whose names start with the text come first. */
function fitting(prompts: readonly PromptRow[], name: string): readonly PromptRow[] {
  const later = ({ text }: PromptRow) => Number(!text.toLowerCase().startsWith(`/${name}`));
  return prompts.filter(({ words }) => words.includes(name)).sort((a, b) => later(a) - later(b));
}
