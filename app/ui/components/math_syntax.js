/**
 * Where mathematics begins and ends in markdown: `$$…$$` and `\[…\]` as blocks, `$…$` and `\(…\)` within a line.
 *
 * Not the typesetting (math.jsx). A single dollar is mathematics only where pandoc says so: no blank after the opening
 * one or before the closing one, and no digit after that, so that "$5 and $10" stays money.
 */
const BLOCK = /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[\s\S])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[\s\S])+?)\\\])[ \t]*(?:\n+|$)/;
const INLINE = /^(?:\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$(?![\s$])((?:\\.|[^\\$\n])*?[^\s\\$])\$(?!\d))/;
const OPENING = /\$|\\[([]/;

const reader = (name, level, pattern, display) => ({
  name,
  level,
  start: (source) => (level === "inline" ? positionOf(OPENING, source) : positionOf(/^ {0,3}(?:\$\$|\\\[)/m, source)),
  tokenizer(source) {
    const match = pattern.exec(source);
    if (!match) return undefined;
    const [raw, ...bodies] = match;
    return { type: name, raw, text: bodies.find(Boolean).trim(), display: display(raw) };
  },
});

const positionOf = (pattern, source) => {
  const at = source.search(pattern);
  return at < 0 ? undefined : at;
};

export const mathExtensions = [
  reader("mathBlock", "block", BLOCK, () => true),
  reader("math", "inline", INLINE, (raw) => raw.startsWith("$$") || raw.startsWith("\\[")),
];
