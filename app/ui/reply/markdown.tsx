/**
 * Draws the Markdown of a model: blocks.ts parses it, this file turns tokens into elements, one memoised component for
 * each block.
 *
 * HTML tags in a reply are shown as text, links lead only to the web and to mail, and pictures from other servers are
 * fetched only after a click. A growing text is drawn while it arrives, less often if drawing is slow. The result does
 * not depend on how the text arrived.
 */
import type { MarkedToken, Token, Tokens } from "marked";
import type { MouseEvent, ReactNode } from "react";
import { Fragment, memo, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "react";
import { BlockReader } from "./blocks.ts";
import { calloutOf } from "./callout.ts";
import { Code } from "./code.tsx";
import type { NoteMarkToken, NoteToken } from "./footnotes.ts";
import { HeldSelection } from "./held_selection.tsx";
import { Formula } from "./math.tsx";
import type { MathToken } from "./math_syntax.ts";
import type { MarkdownProps, MarkdownWords } from "./views.ts";

// After drawing took the time `c`, at least `c × REST` passes before the next drawing, so that the tab stays usable.
const REST = 3;
const FRAME_MS = 16;

/** A Markdown text; `live` while it may still grow. Its `words` never change. */
export const Markdown = memo(Text, (was, is) => was.text === is.text && was.live === is.live);

function Text({ text, live, words }: MarkdownProps): ReactNode {
  const [reader] = useState(() => new BlockReader());
  const [step, redraw] = useReducer((count: number) => count + 1, 0);
  const shown = usePaced(text ?? "", live, redraw);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step reads the next part
  const blocks = useMemo(() => reader.read(shown, live), [reader, shown, live, step]);
  useEffect(() => {
    // A long text is read and drawn in steps, so that the tab can do other work in between.
    const timer = reader.more ? setTimeout(redraw) : undefined;
    return () => clearTimeout(timer);
  });
  return (
    <HeldSelection>
      {blocks.map((token, at) => (
        <Block key={at} token={token} open={live && at === blocks.length - 1} words={words} />
      ))}
    </HeldSelection>
  );
}

// Parse a sample in idle time, so that the patterns are compiled before the first words of the first reply arrive.
if (typeof requestIdleCallback === "function") {
  requestIdleCallback(() => new BlockReader().read("# A\n\n*b* `c`\n\n- [d](e)\n\n|f|\n|-|\n", false));
}

/** The text to draw: the newest or, while drawing is slow, an older one until the tab has had time for other work. */
function usePaced(text: string, live: boolean, redraw: () => void): string {
  const pace = useRef({ text: "", free: 0, last: 0, timer: 0, begun: 0 }).current;
  const now = performance.now();
  const waits = live && pace.text !== "" && text !== pace.text && now < pace.free - FRAME_MS;
  if (!waits && pace.text !== text) Object.assign(pace, { text, begun: now });
  useLayoutEffect(() => {
    if (waits) {
      pace.timer ||= window.setTimeout(() => {
        pace.timer = 0;
        redraw();
      }, pace.free - now);
    } else if (pace.begun) {
      const cost = performance.now() - pace.begun;
      // The smaller of two times counts: a single slow drawing may have another cause.
      pace.free = pace.begun + Math.min(cost, pace.last) * (REST + 1);
      Object.assign(pace, { last: cost, begun: 0 });
    }
  });
  useEffect(() => () => clearTimeout(pace.timer), [pace]);
  return pace.text;
}

type Drawn = MarkedToken | MathToken | NoteToken | NoteMarkToken;

interface BlockProps {
  token: Token;
  open: boolean;
  words: MarkdownWords;
}

const Block = memo(
  ({ token, open, words }: BlockProps): ReactNode =>
    drawBlock(token, open, words) ?? (
      <p dir="auto" className="plain">
        {token.raw}
      </p>
    ),
);

function drawBlock(any: Token, open: boolean, words: MarkdownWords): ReactNode | undefined {
  const token = any as Drawn;
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{inline(token.tokens, words)}</p>;
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens, words) : decoded(token.text);
    case "heading": {
      const Heading = `h${token.depth}` as "h1";
      return <Heading dir="auto">{inline(token.tokens, words)}</Heading>;
    }
    case "code":
      return <Code text={token.text} language={/^\S*/.exec(token.lang ?? "")?.[0] ?? ""} open={open} words={words} />;
    case "blockquote":
      return <Quote token={token} words={words} />;
    case "list":
      return <List token={token} words={words} />;
    case "table":
      return <Table token={token} words={words} />;
    case "hr":
      return <hr />;
    case "html":
      return <p dir="auto">{token.text}</p>;
    case "mathBlock":
      return <Formula tex={token.text} raw={token.raw} display refusal={words.formula_refused} />;
    case "note":
      return (
        <div className="footnote" role="note" dir="auto" tabIndex={-1} data-note={token.label}>
          <NoteLink to={`[data-mark="${CSS.escape(token.label)}"]`} label={words.note_back}>
            {token.label}
          </NoteLink>
          <div>{nested(token.tokens, words)}</div>
        </div>
      );
    default:
      return undefined;
  }
}

function Quote({ token, words }: { token: Tokens.Blockquote; words: MarkdownWords }): ReactNode {
  const callout = calloutOf(token);
  if (!callout) return <blockquote dir="auto">{nested(token.tokens, words)}</blockquote>;
  return (
    <div className="callout" role="note" data-kind={callout.kind} dir="auto">
      <p className="callout-title">{words[callout.kind]}</p>
      {nested(callout.tokens, words)}
    </div>
  );
}

function List({ token, words }: { token: Tokens.List; words: MarkdownWords }): ReactNode {
  const items = token.items.map((item, at) => <Item key={at} item={item} words={words} />);
  if (!token.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={token.start && token.start !== 1 ? token.start : undefined}>
      {items}
    </ol>
  );
}

const Item = memo(
  ({ item, words }: { item: Tokens.ListItem; words: MarkdownWords }): ReactNode => (
    <li className={item.task ? "task" : undefined}>{nested(item.tokens, words)}</li>
  ),
  // An item with a bracket is drawn again: a link that is defined elsewhere may have changed it.
  ({ item: was }, { item: is }) => was.raw === is.raw && was.loose === is.loose && !is.raw.includes("["),
);

function Table({ token, words }: { token: Tokens.Table; words: MarkdownWords }): ReactNode {
  const cell = (Cell: "th" | "td") => (of: Tokens.TableCell, at: number) => (
    <Cell key={at} dir="auto" style={{ textAlign: of.align ?? undefined }} scope={Cell === "th" ? "col" : undefined}>
      {inline(of.tokens, words)}
    </Cell>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table wider than the page is scrolled by keys
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div className="table" tabIndex={0} role="group" aria-label={words.table}>
      <table>
        <thead>
          <tr>{token.header.map(cell("th"))}</tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>{row.map(cell("td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const nested = (tokens: Token[] | undefined, words: MarkdownWords): ReactNode =>
  tokens?.map((token, at) => (
    <Fragment key={at}>{drawBlock(token, false, words) ?? drawInline(token, words) ?? token.raw}</Fragment>
  ));

function inline(tokens: Token[] | undefined, words: MarkdownWords): ReactNode {
  const [first] = tokens ?? [];
  if (tokens?.length === 1 && first?.type === "text" && !("tokens" in first && first.tokens)) {
    return decoded((first as Tokens.Text).text);
  }
  return tokens?.map((token, at) => <Fragment key={at}>{drawInline(token, words) ?? token.raw}</Fragment>);
}

function drawInline(any: Token, words: MarkdownWords): ReactNode | undefined {
  const token = any as Drawn;
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens, words) : decoded(token.text);
    case "escape":
      return token.text;
    case "strong":
      return <strong>{inline(token.tokens, words)}</strong>;
    case "em":
      return <em>{inline(token.tokens, words)}</em>;
    case "del":
      return <del>{inline(token.tokens, words)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "html":
      return /^<br\s*\/?>$/i.test(token.text) ? <br /> : token.text;
    case "link":
      return <Link token={token}>{inline(token.tokens, words)}</Link>;
    case "image":
      return <Picture source={token.href} alternative={token.text} words={words} />;
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={token.checked ? words.done : words.not_done}
        />
      );
    case "math":
      return <Formula tex={token.text} raw={token.raw} display={token.display} refusal={words.formula_refused} />;
    case "noteMark":
      return (
        <sup data-mark={token.label}>
          <NoteLink to={`[data-note="${CSS.escape(token.label)}"]`} label={words.footnote}>
            {token.label}
          </NoteLink>
        </sup>
      );
    default:
      return undefined;
  }
}

/** A button that leads from a mark to its note in the same text, or from the note back to the button of its mark. */
function NoteLink({ to, label, children }: { to: string; label: string; children: string }): ReactNode {
  const go = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const there = currentTarget.closest(".md")?.querySelector<HTMLElement>(to);
    const target = there?.matches("sup") ? there.querySelector("button") : there;
    target?.scrollIntoView({ block: "nearest" });
    target?.focus({ preventScroll: true });
  };
  return (
    <button type="button" className="note-link" aria-label={label.replace("{label}", () => children)} onClick={go}>
      {children}
    </button>
  );
}

function Link({ token, children }: { token: Tokens.Link; children: ReactNode }): ReactNode {
  if (!/^(https?:|mailto:)/i.test(token.href)) return <span title={token.href}>{children}</span>;
  return (
    <a href={token.href} title={token.title || undefined} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

type PictureProps = Readonly<{ source: string; alternative: string; words: MarkdownWords }>;

/** A picture. Fetching it from another server reveals the reader to that server, so a person has to request it. */
function Picture({ source, alternative, words }: PictureProps): ReactNode {
  const [wanted, setWanted] = useState(false);
  const inlined = /^data:image\/(png|jpeg|gif|webp);base64,/i.test(source);
  if (inlined || (wanted && /^https?:/i.test(source))) {
    return <img src={source} alt={alternative} referrerPolicy="no-referrer" />;
  }
  const host = /^https?:\/\/([^/?#]+)/i.exec(source)?.[1];
  if (!host) return <span title={source}>{alternative || source}</span>;
  const label = alternative ? words.load_named_picture : words.load_picture;
  return (
    <button type="button" className="picture" onClick={() => setWanted(true)}>
      {label.replace("{name}", () => alternative).replace("{host}", () => host)}
    </button>
  );
}

/** Replace character references (&amp; &nbsp; …) by their characters. The browser decodes each one separately. */
const decoded = (text: string): string => (text.includes("&") ? text.replace(REFERENCE, characterOf) : text);

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

function characterOf(reference: string): string {
  const area = document.createElement("textarea");
  area.innerHTML = reference;
  return area.value;
}
