"""Writes a conversation as one HTML page that can be read anywhere, because it has no script and loads nothing.

A library that follows CommonMark converts Markdown to HTML. HTML in a text is shown as text, and pictures become links,
so that opening the page loads nothing. Only addresses of http, https and mailto become links. A text that is nested too
deeply, or would take long to parse, is shown without formatting, so that nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from app.domain.conversation.conversation import Conversation, Pair
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The content security policy of the page: its own style and pictures in it are allowed, and nothing else."""

_SAFE_ADDRESS = re.compile("https?:|mailto:", re.IGNORECASE)

MAX_LEVEL: Final = 16
"""Maximum nesting of blocks. The library drops blocks nested deeper than 20, and a list takes two levels."""
MAX_WORK: Final = 3_000_000
"""Maximum work for a paragraph: the number of characters times the number of those that may start or end a format."""
_SIGN: Final = re.compile(r"[!$*<\[\\\]_`~]")


def html_head(conversation: Conversation) -> str:
    """Return the beginning of the exported page, with the title and the system prompt."""
    title = escape(conversation.title or "Conversation")
    system = ""
    if conversation.system_prompt.strip():
        text = render_markdown(conversation.system_prompt, "system")
        system = f'<section class="system"><h2>System</h2>{text}</section>'
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_style()}</style></head>\n<body><main><h1>{title}</h1>"
        f"<p><time>{conversation.created_at:%Y-%m-%d}</time>, exported from Inview</p>{system}\n"
    )


def html_pair(pair: Pair, topic: str | None) -> str:
    """Return the HTML of one pair. `topic` is the path of its topic."""
    facts = [
        f"<time>{pair.created_at:%Y-%m-%d %H:%M} UTC</time>",
        escape(pair.model),
        *([escape(pair.agent)] if pair.agent else []),
        *([escape(topic)] if topic else []),
        *([f'<span aria-label="{pair.stars} stars">{"★" * pair.stars}</span>'] if pair.stars else []),
        *(['<span aria-label="flagged">⚑</span>'] if pair.flagged else []),
        *([pair.mark.value] if pair.mark else []),
    ]
    place = f"pair-{pair.position}"
    request = "".join(_draw(pair.request.parts, f"{place}-request"))
    reply = "".join(_draw(() if pair.reply is None else pair.reply.parts, f"{place}-reply"))
    failed = "" if pair.failure is None else f'<p class="failure">{escape(str(pair.failure))}</p>'
    return (
        f'<article id="{place}"><p class="facts">{" · ".join(facts)}</p>'
        f'<section class="request">{request}</section>'
        f'<section class="reply">{reply or "<p><em>no reply</em></p>"}{failed}</section></article>\n'
    )


def html_foot() -> str:
    """Return the end of the exported page."""
    return "</main></body></html>\n"


def render_markdown(text: str, place: str = "text") -> str:
    """Convert Markdown to HTML without scripts, foreign pictures or unsafe links.

    The ids of its footnotes begin with `place`.
    """
    return str(_markdown().render(text, {"place": place}))


def _draw(parts: tuple[Part, ...], place: str) -> Iterator[str]:
    for number, part in enumerate(parts, start=1):
        match part:
            case Text() if part.text:
                yield render_markdown(part.text, f"{place}-{number}")
            case Thinking() if part.text:
                yield f"<details><summary>Thinking</summary>{render_markdown(part.text, f'{place}-{number}')}</details>"
            case ToolCall():
                yield f"<p>Calls <code>{escape(part.name)}</code></p><pre><code>{escape(part.input_json)}</code></pre>"
            case ToolResult() if part.denied:
                yield "<p>Denied by the user</p>"
            case ToolResult():
                words = "\n".join(piece.text for piece in part.content if isinstance(piece, Text))
                heading = f"<p>{'Error' if part.is_error else 'Result'}</p>"
                yield f"{heading}<pre><code>{escape(words)}</code></pre>" if words else heading
                yield from _draw(tuple(piece for piece in part.content if not isinstance(piece, Text)), place)
            case TextFile():
                yield f"<details><summary>File {escape(part.name)}</summary><pre>{escape(part.text)}</pre></details>"
            case Image():
                yield f"<p><em>Image, {escape(part.media_type)}</em></p>"
            case File():
                yield f"<p><em>File {escape(part.name)}</em></p>"
            case _:
                pass


def _draw_image(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _environment: Any
) -> str:
    token = tokens[place]
    where = str(token.attrGet("src") or "")
    return f'<a href="{escape(where)}">{escape(token.content or where)}</a>' if where else escape(token.content)


def _open_link(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, environment: Any
) -> str:
    return str(renderer.renderToken(tokens, place, options, environment)) if tokens[place].attrGet("href") else "<a>"


def _is_safe_address(url: str) -> bool:
    return _SAFE_ADDRESS.match(url) is not None


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    # Imported here, because these modules load a library that few servers need.
    from app.views.export.cjk_and_math import make_reader  # noqa: PLC0415
    from app.views.export.notes_and_callouts import add_notes_and_callouts  # noqa: PLC0415

    markdown = make_reader().enable(["table", "strikethrough"])
    add_notes_and_callouts(markdown)
    markdown.add_render_rule("image", _draw_image)
    markdown.add_render_rule("link_open", _open_link)
    markdown.validateLink = _is_safe_address
    markdown.block.ruler.before("table", "deep", _keep_deep, {"alt": ["paragraph", "blockquote", "list"]})
    markdown.core.ruler.before("inline", "dear", _keep_dear)
    markdown.add_render_rule("plain", _draw_plain)
    return markdown


def _keep_deep(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the library calls it
    """Show a block that is nested too deeply as plain text."""
    if silent or state.level < MAX_LEVEL:
        return False
    state.push("plain", "", 0).content = state.getLines(first, end, state.blkIndent, keepLastLF=False)
    state.line = end
    return True


def _keep_dear(state: StateCore) -> None:
    """Show paragraphs that would take long to parse as plain text.

    This is a step between the parser's two passes: the blocks of the text are known, the text inside them is not parsed
    yet.
    """
    for token in state.tokens:
        if token.type == "inline" and len(token.content) * (1 + len(_SIGN.findall(token.content))) > MAX_WORK:
            token.type = "plain"


def _draw_plain(
    _renderer: RendererHTML, tokens: Sequence[Token], place: int, _options: OptionsDict, _environment: Any
) -> str:
    return f'<span class="plain">{escape(tokens[place].content)}</span>'


@lru_cache(maxsize=1)
def _style() -> str:
    return files("app.views.export").joinpath("transcript.css").read_text(encoding="utf-8")
