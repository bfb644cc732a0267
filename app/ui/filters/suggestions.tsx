/** What could come next in the line, as a list that the arrows of the line walk. */
import { type ReactNode, useEffect, useRef } from "react";
import type { SuggestionView } from "./views.ts";

interface Props {
  readonly label: string;
  readonly of: readonly SuggestionView[];
  readonly at: number;
  readonly onPoint: (index: number) => void;
  readonly onAccept: (suggestion: SuggestionView) => void;
}

export function Suggestions({ label, of, at, onPoint, onAccept }: Props): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    // biome-ignore-start lint/a11y/useKeyWithClickEvents: the keys are those of the line, which keeps the focus
    // biome-ignore-start lint/a11y/useFocusableInteractive: as above
    // biome-ignore-start lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox
    <ul
      className="filter-list"
      id="filter-suggestions"
      role="listbox"
      aria-label={label}
      ref={list}
      hidden={!of.length}
    >
      {of.map((suggestion, index) => (
        <li
          key={suggestion.text}
          id={`filter-suggestion-${index}`}
          role="option"
          aria-selected={index === at}
          onPointerMove={() => onPoint(index)}
          onClick={() => onAccept(suggestion)}
        >
          <code>{suggestion.text}</code>
          <span>{suggestion.means}</span>
        </li>
      ))}
    </ul>
    // biome-ignore-end lint/a11y/useKeyWithClickEvents: the keys are those of the line, which keeps the focus
    // biome-ignore-end lint/a11y/useFocusableInteractive: as above
    // biome-ignore-end lint/a11y/noNoninteractiveElementToInteractiveRole: the list of a combobox
  );
}
