/**
 * The filter bar: a line with suggestions while a person types, and the keys of a command line.
 *
 * Python sends the meaning of the line (`says`), the suggestions and the result of Enter. A line that was applied is
 * closed, and the focus moves to the transcript. This file handles the caret, the row that is chosen in the
 * list, the recall of `past` lines and the loss of the focus.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { Suggestions } from "../kit/controls/suggestions.tsx";
import { goTo, offer } from "../kit/keys/places.ts";
import { insertText } from "../kit/texts/writing.ts";
import { Past } from "./past.ts";
import type { FilterLineProps, LineFeedbackView, SuggestionView } from "./views.ts";

const REST_MS = 60;
const MAX_LENGTH = 4000;
const NONE: readonly SuggestionView[] = [];

interface Pointed {
  readonly of: LineFeedbackView; // the arrows moved in this list; a newer list starts again
  readonly index: number;
}

export function FilterLine(props: FilterLineProps): ReactNode {
  const { applied, feedback, past, done, savedOpen, label, onBegin, onLeave, onCloseSaved } = props;
  const bar = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const [isIn, setIn] = useState(false); // the line itself has the focus, not another part of the bar
  const [line, setLine] = useState("");
  const [cursor, setCursor] = useState(0);
  const [pointed, setPointed] = useState<Pointed>({ of: feedback, index: -1 });
  const walk = useRef(new Past());
  const entered = useRef<string | null>(null); // the line that was sent to Python
  const seen = useRef(done); // the last known number of lines that Python applied
  const suggestions = open && isIn && feedback.line === line ? feedback.suggestions : NONE;
  const at = pointed.of === feedback ? pointed.index : Number(feedback.offered) - 1;
  const point = (index: number) => setPointed({ of: feedback, index });

  const read = () => {
    const { value = "", selectionStart } = input.current ?? {};
    setLine(value);
    setCursor([...value.slice(0, selectionStart ?? value.length)].length);
  };
  /** Write into the line so that Ctrl+Z can undo it. */
  const write = (text: string, from = 0, to = input.current?.value.length ?? 0) => {
    input.current?.focus();
    input.current?.setSelectionRange(from, to);
    insertText(text);
    read();
  };
  const close = () => {
    setOpen(false);
    walk.current.rest();
    onLeave?.();
  };

  useEffect(() => {
    if (!open && input.current) input.current.value = applied;
  }, [applied, open]);
  useEffect(() => offer({ filter: () => input.current?.focus() }), []);
  const check = useEffectEvent((...typed: [string, number]) => props.onCheck?.(...typed));
  useEffect(() => {
    if (!open) return undefined;
    const timer = setTimeout(() => check(line, cursor), REST_MS); // when the line gets the focus, and in pauses
    return () => clearTimeout(timer);
  }, [open, line, cursor]);
  const used = useEffectEvent((count: number) => {
    if (seen.current === count) return;
    seen.current = count;
    const text = entered.current;
    entered.current = null;
    if (open && text !== null && text !== input.current?.value) return; // a person is already typing the next line
    setOpen(false);
    walk.current.rest();
    goTo("history");
  });
  useEffect(() => used(done), [done]);
  const taken = useRef(props.written.number); // number of the last line of a chip that the field shows
  const take = useEffectEvent(({ number, line: words, before }: FilterLineProps["written"]) => {
    if (taken.current === number) return;
    taken.current = number;
    if (!open || input.current?.value !== before) return; // otherwise a person has typed since then
    input.current.value = words;
    read();
  });
  useEffect(() => take(props.written), [props.written]);
  const know = useEffectEvent((lines: typeof past) => walk.current.know(lines, write));
  useEffect(() => know(past), [past]);

  const accept = (suggestion: SuggestionView) => {
    const unit = (count: number) => [...line].slice(0, count).join("").length; // Python counts characters
    write(suggestion.text, unit(feedback.start), unit(feedback.end));
  };
  const leave = () => {
    close();
    goTo("history");
  };
  const enter = () => {
    entered.current = input.current?.value ?? "";
    props.onEnter?.(entered.current);
  };
  const step = (direction: 1 | -1, next: number) => {
    if (walk.current.walks(line)) walk.current.step(direction, write);
    else point(suggestions.length ? (next + suggestions.length) % suggestions.length : -1);
  };
  const chosen = suggestions[at];
  const KEYS: Readonly<Record<string, (event: KeyboardEvent) => unknown>> = {
    Enter: () => (chosen && !feedback.offered ? accept(chosen) : enter()),
    Escape: () => (chosen ? point(-1) : leave()),
    Tab: ({ shiftKey }) => {
      const first = suggestions[Math.max(at, 0)];
      return shiftKey || !line || !first ? false : accept(first);
    },
    ArrowDown: () => step(-1, at + 1),
    ArrowUp: () => step(1, Math.max(at, 0) - 1),
    "Control+p": () => walk.current.step(1, write),
    "Control+n": () => walk.current.step(-1, write),
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    const act = KEYS[(event.ctrlKey ? "Control+" : "") + event.key];
    if (!act || act(event) === false) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const focused = () => {
    if (savedOpen) onCloseSaved?.();
    if (!open) {
      input.current?.select();
      onBegin?.();
    }
    setOpen(true);
    setIn(true);
    read();
  };
  const left = ({ relatedTarget }: FocusEvent) => {
    if (isWithin(bar.current, relatedTarget) || isWithin(bar.current, document.activeElement)) return;
    if (open) close();
    if (savedOpen) onCloseSaved?.();
  };

  const wrong = open ? feedback.line === line && feedback.entered : props.failed;
  return (
    <search
      className="filter-bar"
      aria-label={label}
      ref={bar}
      data-open={open || savedOpen || undefined}
      data-applied={applied ? true : undefined}
      onBlur={left}
    >
      <button
        type="button"
        className="filter-fold"
        tabIndex={-1}
        aria-label={props.foldLabel}
        title={props.foldTitle}
        onClick={() => input.current?.focus()}
      >
        {props.icon}
        {applied ? <code>{applied}</code> : null}
      </button>
      <div className="filter-field">
        {props.icon}
        <div className="filter-words">
          <input
            id="filter"
            ref={input}
            type="text"
            placeholder={props.placeholder}
            aria-label={label}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={suggestions.length > 0}
            aria-controls="filters"
            aria-activedescendant={chosen ? `filters-${at}` : undefined}
            aria-invalid={wrong}
            aria-describedby="filter-says"
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            maxLength={MAX_LENGTH}
            onFocus={focused}
            onBlur={() => setIn(false)}
            onInput={read}
            onSelect={read}
            onKeyDown={pressed}
          />
          {open || savedOpen ? null : props.summary}
        </div>
        {props.buttons}
      </div>
      {open ? (
        <div className="filter-panel" onPointerDown={keepFocus}>
          {props.chips}
          <div className="filter-says" id="filter-says" role="status" aria-live="polite">
            {props.says}
          </div>
          <Suggestions id="filters" label={props.listLabel} of={suggestions} at={at} onPoint={point} onTake={accept} />
          {props.keys}
        </div>
      ) : null}
      {props.children}
    </search>
  );
}

/** Keep the focus in the line when a part of the bar is pressed, except a list of values, which the browser opens. */
const keepFocus = (event: PointerEvent) => {
  if (!(event.target instanceof HTMLSelectElement)) event.preventDefault();
};

/** True for an element in the bar, or in a dialog that covers it. */
const isWithin = (bar: Element | null, target: EventTarget | null): boolean =>
  target instanceof Element && (bar?.contains(target) === true || target.closest("dialog") !== null);
