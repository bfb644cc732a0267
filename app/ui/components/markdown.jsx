/**
 * Markdown of a model, drawn: blocks.js reads, this turns tokens into elements, one memoised component a block.
 *
 * Not an HTML renderer: tags in a reply are shown as the text they are, links lead only to the web and to mail, and
 * pictures from elsewhere are fetched on a click, not before. `Reply` draws a text as it grows, once a frame and less
 * often when drawing is slow; what stands there in the end is what a reload draws.
 */
import { Fragment, memo, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Code } from "./code.jsx";
import { Math } from "./math.jsx";
import { BlockReader, readAll } from "./blocks.js";
import { onText, pairOf } from "./live.js";

// While drawing costs `c`, at least `c × REST` passes until it is done again: the tab stays usable.
const REST = 3;
const FRAME_MS = 16;
const SETTLE_MS = 500;

/** Part `index` of the reply of a pair. `live`: it may still grow. */
export const Reply = memo(function Reply({ pairId, index, live }) {
  const reader = useRef(null);
  const [, redraw] = useReducer((count) => count + 1, 0);
  useEffect(() => (live ? whenGrown(pairId, redraw) : undefined), [pairId, live]);
  useEffect(() => {
    if (live || !reader.current) return undefined;
    // Read once more as a whole, as a reload would: links may be defined at the end of a text.
    const timer = setTimeout(() => {
      reader.current = null;
      redraw();
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [live]);
  const text = pairOf(pairId)?.parts[index]?.text ?? "";
  if (live) reader.current ??= new BlockReader();
  const whole = useMemo(() => (reader.current ? null : readAll(text)), [text, reader.current]);
  return <Blocks {...(whole ?? { blocks: reader.current.read(text, live) })} live={live} />;
});

/** A text that is in no pair on screen: drawn whenever its owner draws. */
export const Written = memo(function Written({ text, live }) {
  const reader = useRef(null);
  if (live) reader.current ??= new BlockReader();
  const whole = useMemo(() => (live ? null : readAll(text)), [text, live]);
  return <Blocks {...(whole ?? { blocks: reader.current.read(text, live) })} live={live} />;
});

// Read something as soon as there is time: the first words of the first reply find the patterns compiled.
if (typeof requestIdleCallback === "function") requestIdleCallback(() => new BlockReader().read("# A\n\n*b* `c`\n\n- [d](e)\n\n|f|\n|-|\n"));

/** Redraw once the text has grown, at most once a frame, or less often if drawing is slow. Returns how to stop. */
function whenGrown(pairId, redraw) {
  let frame = 0;
  let timer = 0;
  let free = 0;
  let last = 0; // what drawing cost the time before
  let grown = false;
  const draw = () => {
    timer = 0;
    grown = false;
    const begun = performance.now();
    flushSync(redraw);
    const cost = performance.now() - begun;
    free = begun + (cost < last ? cost : last) * (REST + 1); // slow once is a machine busy with something else
    last = cost;
    if (!document.hidden) frame = requestAnimationFrame(shown);
  };
  const shown = () => {
    frame = 0;
    if (grown) plan();
  };
  const plan = () => {
    grown = true;
    if (frame || timer) return;
    const wait = free - performance.now();
    if (wait > FRAME_MS || document.hidden) timer = setTimeout(draw, wait);
    else draw();
  };
  const stop = onText(pairId, plan);
  return () => {
    stop();
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

function Blocks({ blocks, live, links = "" }) {
  return (
    <div className="md">
      {blocks.map((token, at) => (
        <Block key={at} token={token} context={links} open={Boolean(live) && at === blocks.length - 1} />
      ))}
    </div>
  );
}

/** `context`: what else the block's looks depend on, the text that defines its links. */
const Block = memo(
  ({ token, open }) => BLOCK[token.type]?.(token, open) ?? <p dir="auto">{token.raw}</p>,
  (was, is) => was.token.raw === is.token.raw && was.token.type === is.token.type && was.open === is.open && was.context === is.context,
);

const BLOCK = {
  paragraph: ({ tokens }) => <p dir="auto">{inline(tokens)}</p>,
  text: (token) => (token.tokens ? inline(token.tokens) : decoded(token.text)),
  heading: ({ depth, tokens }) => {
    const Heading = `h${depth}`;
    return <Heading dir="auto">{inline(tokens)}</Heading>;
  },
  code: ({ text, lang }, open) => <Code text={text} language={/^\S*/.exec(lang ?? "")[0]} open={open} />,
  blockquote: ({ tokens }) => <blockquote dir="auto">{nested(tokens)}</blockquote>,
  list: ({ ordered, start, items }) => {
    const List = ordered ? "ol" : "ul";
    return (
      <List dir="auto" start={ordered && start !== 1 ? start : undefined}>
        {items.map((item, at) => (
          <Item key={at} item={item} />
        ))}
      </List>
    );
  },
  table: (token) => <Table token={token} />,
  hr: () => <hr />,
  html: ({ text }) => <p dir="auto">{text}</p>,
  mathBlock: ({ text, raw }) => <Math tex={text} raw={raw} display />,
};

const nested = (tokens) => tokens.map((token, at) => <Fragment key={at}>{BLOCK[token.type]?.(token) ?? INLINE[token.type]?.(token)}</Fragment>);

const Item = memo(
  ({ item }) => <li className={item.task ? "task" : undefined}>{nested(item.tokens)}</li>,
  (was, is) => was.item.raw === is.item.raw && was.item.loose === is.item.loose,
);

function Table({ token }) {
  const cell = (Cell) => (of, at) => (
    <Cell key={at} dir="auto" style={of.align ? { textAlign: of.align } : undefined} scope={Cell === "th" ? "col" : undefined}>
      {inline(of.tokens)}
    </Cell>
  );
  return (
    <div className="table" tabIndex={0} role="group" aria-label="Table">
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

const inline = (tokens) => {
  if (tokens.length === 1 && tokens[0].type === "text" && !tokens[0].tokens) return decoded(tokens[0].text);
  return tokens.map((token, at) => <Fragment key={at}>{INLINE[token.type]?.(token) ?? token.raw}</Fragment>);
};

const INLINE = {
  text: (token) => (token.tokens ? inline(token.tokens) : decoded(token.text)),
  escape: ({ text }) => text,
  strong: ({ tokens }) => <strong>{inline(tokens)}</strong>,
  em: ({ tokens }) => <em>{inline(tokens)}</em>,
  del: ({ tokens }) => <del>{inline(tokens)}</del>,
  codespan: ({ text }) => <code>{text}</code>,
  br: () => <br />,
  html: ({ text }) => (/^<br\s*\/?>$/i.test(text) ? <br /> : text),
  link: ({ href, title, tokens }) => <Link href={href} title={title}>{inline(tokens)}</Link>,
  image: ({ href, text }) => <Picture src={href} alt={text} />,
  checkbox: ({ checked }) => <input type="checkbox" checked={checked} disabled aria-label={checked ? "Done" : "Not done"} />,
  math: ({ text, raw, display }) => <Math tex={text} raw={raw} display={display} />,
};

const Link = ({ href, title, children }) =>
  /^(https?:|mailto:)/i.test(href) ? (
    <a href={href} title={title || undefined} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span title={href}>{children}</span>
  );

/** A picture from elsewhere: fetching it tells its server who reads this, so a person has to ask for it. */
function Picture({ src, alt }) {
  const [wanted, setWanted] = useState(false);
  const inlined = /^data:image\/(png|jpeg|gif|webp);base64,/i.test(src);
  if (inlined || (wanted && /^https?:/i.test(src))) return <img src={src} alt={alt} referrerPolicy="no-referrer" />;
  const host = /^https?:\/\/([^/?#]+)/i.exec(src)?.[1];
  if (!host) return <span title={src}>{alt || src}</span>;
  return (
    <button type="button" className="picture" onClick={() => setWanted(true)}>
      Load picture{alt ? ` “${alt}”` : ""} from {host}
    </button>
  );
}

/** Character references (&amp; &nbsp; …) as the characters they name. The browser reads each by itself, and nothing else. */
const decoded = (text) => (text.includes("&") ? text.replace(REFERENCE, characterOf) : text);

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

function characterOf(reference) {
  const area = document.createElement("textarea");
  area.innerHTML = reference;
  return area.value;
}
