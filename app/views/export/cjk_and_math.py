r"""A Markdown parser for the exported page, with two rules that CommonMark lacks: emphasis in CJK texts, and formulas.

The screen has the same rules (`app/ui/reply/cjk.ts`, `app/ui/reply/math_syntax.ts`). The exported page shows a formula
as its source, because it has no script.

    >>> make_reader().render("**“苹果”**和$x_1^2$, for $HOME/$USER")
    '<p><strong>“苹果”</strong>和<span class="math">$x_1^2$</span>, for $HOME/$USER</p>\n'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

_CJK: Final = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_INLINE: Final = re.compile(
    r"\$\$([^\n]+?)\$\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]"
    r"|\$(?![\s$])((?:\\.|[^\\$\n])*?[^\s\\$])\$(?!\d|(?<![\w)}\]'][$])[A-Za-z_{])"
)
_BLOCK: Final = re.compile(
    r" {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[\s\S])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[\s\S])+?)\\\])[ \t]*(?:\n|$)"
)
_IS_PROSE: Final = re.compile(r"[^\\^_=+<>{}|]*[,.;:!?] [a-z]{2}[^\\^_=+<>{}|]*")


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: FBT001, N802, N803 - fixed by the library
        scanned = super().scanDelims(start, canSplitWord)
        after = self.src[start + scanned.length : self.posMax][:1]
        before = self.src[start - 1] if start else ""
        if not canSplitWord or not (_CJK.match(before) or _CJK.match(after)):
            return scanned
        return Scanned(bool(after.strip()), bool(before.strip()), scanned.length)


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Parse a line as the library does, but with the rule for emphasis in CJK texts (`_State`)."""
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def make_reader() -> MarkdownIt:
    """Return a CommonMark parser with the rules for emphasis in CJK texts and for formulas. It shows HTML as text."""
    reader = MarkdownIt()
    reader.inline = _Inline()
    reader.configure("commonmark", {"html": False, "linkify": False})
    reader.inline.ruler.before("escape", "math", _read_formula)
    reader.block.ruler.before("fence", "math_block", _read_block, {"alt": ["paragraph", "blockquote", "list"]})
    reader.add_render_rule("math", _draw_formula)
    reader.add_render_rule("math_block", _draw_formula)
    return reader


def _read_formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library calls it
    """Parse a formula within a line."""
    start = state.pos
    is_of_word = (
        start > 0 and state.src[start] == "$" and state.src[start - 1].isalnum() and state.src[start - 1].isascii()
    )
    found = None if is_of_word else _INLINE.match(state.src, start, state.posMax)
    if found is None or _IS_PROSE.fullmatch(found[4] or ""):
        return False
    if not silent:
        state.push("math", "span", 0).content = found[0]
    state.pos = found.end()
    return True


def _read_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the library calls it
    """Parse a formula on separate lines. A formula in a list or a quotation is not recognised."""
    if state.level or state.is_code_block(first):
        return False
    found = _BLOCK.match(state.src, state.bMarks[first], state.eMarks[end - 1])
    if found is None:
        return False
    if not silent:
        state.push("math_block", "p", 0).content = found[0].strip()
        state.line = first + found[0].rstrip("\n").count("\n") + 1
    return True


def _draw_formula(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _environment: Any
) -> str:
    token = tokens[place]
    end = "\n" if token.tag == "p" else ""
    return f'<{token.tag} class="math">{escape(token.content)}</{token.tag}>{end}'
