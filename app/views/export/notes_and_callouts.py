r"""Markdown rules of GitHub for an exported page: footnotes, and callouts such as `> [!NOTE]`.

The screen has the same rules (`app/ui/reply/footnotes.ts`, `app/ui/reply/callout.ts`). The library parses
callouts under the name "alerts"; this module parses footnotes. In the page, each text has a name (`PLACE`), which
the ids of its footnotes contain. So a mark never leads to a note of another text.

    >>> from app.views.export.cjk_and_math import make_reader
    >>> add_notes_and_callouts(reader := make_reader())
    >>> reader.render("> [!TIP]\n> Ask.")
    '<div class="callout" role="note" data-kind="tip">\n<p class="callout-title">Tip</p>\n<p>Ask.</p>\n</div>\n'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from markdown_it.rules_block import StateBlock

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

PLACE: Final = "place"
"""The key of an entry in the parser's environment: the name of the text that is rendered."""

_MARK: Final = re.compile(r"\[\^([^\s\[\]]{1,60})\]")
_NOTE: Final = re.compile(r"\[\^([^\s\[\]]{1,60})\]:[ \t]*")
_INDENT: Final = re.compile(r"\n(?: {1,4}|\t)")
_MIN_INDENT: Final = 2
_NOTES: Final = "notes"  # key of the notes that the text defines: their numbers by label
_IN_NOTE: Final = "in note"
_MARKED: Final = "marked"  # key of the numbers of the notes whose mark is drawn


def add_notes_and_callouts(reader: MarkdownIt) -> None:
    """Add the rules to a parser."""
    reader.block.ruler.before("reference", "note", _read_note)
    reader.inline.ruler.before("link", "note_mark", _read_mark)
    reader.options["alerts"] = True
    reader.add_render_rule("note_open", _open_note)
    reader.add_render_rule("note_close", _close_note)
    reader.add_render_rule("note_mark", _draw_mark)
    reader.add_render_rule("alert_open", _open_callout)
    reader.add_render_rule("alert_title_open", _open_title)


def _read_note(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the library calls it
    """Parse a footnote: its line, the lines that continue its paragraph, and indented paragraphs. Notes do not nest."""
    if silent or state.is_code_block(first):
        return False
    found = _NOTE.match(state.src, state.bMarks[first] + state.tShift[first], state.eMarks[first])
    if found is None:
        return False
    after = state.line = _end_of_note(state, first, end)
    if state.env.get(_IN_NOTE):
        _keep_as_text(state, first, after)
        return True
    label = found[1].lower()
    number = state.env.setdefault(_NOTES, {}).setdefault(label, len(state.env.get(_NOTES, {})) + 1)
    source = state.getLines(first, after, state.blkIndent, keepLastLF=False).lstrip(" ")
    text = _INDENT.sub("\n", source[len(found[0]) :])
    state.push("note_open", "div", 1).meta = {"label": found[1], "number": number}
    inner = StateBlock(text, state.md, state.env, state.tokens)
    inner.level = state.level
    state.env[_IN_NOTE] = True
    state.md.block.tokenize(inner, inner.line, inner.lineMax)
    state.env[_IN_NOTE] = False
    state.push("note_close", "div", -1)
    return True


def _keep_as_text(state: StateBlock, first: int, after: int) -> None:
    """Make a paragraph of these lines, which are a note inside a note.

    The library would take them as the definition of a link, and drop them.
    """
    state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(first, after, state.blkIndent, keepLastLF=False).strip()
    inline.children = []
    state.push("paragraph_close", "p", -1)


def _end_of_note(state: StateBlock, first: int, end: int) -> int:
    """Return the line after a note that begins at the line `first`."""
    line = first + 1
    while line < end and not state.isEmpty(line) and not _begins_note(state, line):
        if state.sCount[line] < state.blkIndent:
            return line
        line += 1
    after = line
    while after < end:
        if not state.isEmpty(after):
            if state.sCount[after] - state.blkIndent < _MIN_INDENT:
                break
            line = after + 1
        after += 1
    return line


def _begins_note(state: StateBlock, line: int) -> bool:
    return not state.is_code_block(line) and state.src.startswith("[^", state.bMarks[line] + state.tShift[line])


def _read_mark(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library calls it
    """Parse the mark of a footnote. A mark without a note is ordinary text."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    number = None if found is None else state.env.get(_NOTES, {}).get(found[1].lower())
    if found is None or number is None:
        return False
    if not silent:
        state.push("note_mark", "sup", 0).meta = {"label": found[1], "number": number}
    state.pos = found.end()
    return True


def _id(kind: str, token: Token, environment: EnvType) -> str:
    return f"{escape(str(environment.get(PLACE, 'text')))}-{kind}-{token.meta['number']}"


def _open_note(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, environment: Any
) -> str:
    token = tokens[place]
    label = escape(token.meta["label"])
    back = f'<a href="#{_id("mark", token, environment)}" aria-label="{label}, back to the text">{label}</a>'
    return f'<div class="footnote" role="note" id="{_id("note", token, environment)}">{back}<div>\n'


def _close_note(
    _renderer: RendererHTML, _tokens: Sequence[Token], _place: int, _options: OptionsDict, _environment: Any
) -> str:
    return "</div></div>\n"


def _draw_mark(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, environment: Any
) -> str:
    token = tokens[place]
    label = escape(token.meta["label"])
    marked: set[int] = environment.setdefault(_MARKED, set())
    own = "" if token.meta["number"] in marked else f' id="{_id("mark", token, environment)}"'
    marked.add(token.meta["number"])
    link = f'<a href="#{_id("note", token, environment)}" aria-label="Footnote {label}">{label}</a>'
    return f"<sup{own}>{link}</sup>"


def _open_callout(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _environment: Any
) -> str:
    return f'<div class="callout" role="note" data-kind="{tokens[place].info.lower()}">\n'


def _open_title(
    _renderer: RendererHTML, _tokens: Sequence[Token], _place: int, _options: OptionsDict, _environment: Any
) -> str:
    return '<p class="callout-title">'
