r"""Writes a conversation as a Markdown file for people: requests as quotes, replies as the model wrote them.

Replies are already Markdown and are not changed, except that an open code block at the end is closed: otherwise it
would include all the following text.

    >>> close_fences("```py\nprint(1)")
    '```py\nprint(1)\n```'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.domain.conversation.conversation import Conversation, Pair
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def markdown_head(conversation: Conversation) -> str:
    """Return the beginning of the exported file, with the title and the system prompt."""
    lines = [f"# {escape(conversation.title) or 'Conversation'}", ""]
    lines += [f"*{conversation.created_at:%Y-%m-%d}, exported from Inview*", ""]
    if conversation.system_prompt.strip():
        lines += ["## System", "", _quote(conversation.system_prompt), ""]
    return "\n".join(lines)


def markdown_pair(pair: Pair, topic: str | None) -> str:
    """Return one pair as Markdown. `topic` is the path of its topic."""
    facts = [
        f"{pair.created_at:%Y-%m-%d %H:%M} UTC",
        escape(pair.model),
        *([escape(pair.agent)] if pair.agent else []),
        *([escape(topic)] if topic else []),
        *(["★" * pair.stars] if pair.stars else []),
        *(["⚑"] if pair.flagged else []),
        *([pair.mark.value] if pair.mark else []),
    ]
    blocks = ["", "---", "", " · ".join(facts), "", _quote("\n\n".join(_describe(pair.request.parts))), ""]
    reply = () if pair.reply is None else pair.reply.parts
    blocks += ["\n\n".join(_describe(reply)) or "*no reply*", ""]
    if pair.failure is not None:
        blocks += [escape(str(pair.failure)), ""]
    return "\n".join(blocks)


def escape(text: str) -> str:
    """Return a text on one line, with the special characters of Markdown escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def close_fences(text: str) -> str:
    """Return the text with its last code block closed."""
    open_fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            continue
        fence, rest = found.groups()
        if not open_fence:
            open_fence = fence if "`" not in rest or fence[0] == "~" else ""
        elif fence[0] == open_fence[0] and len(fence) >= len(open_fence) and not rest.strip():
            open_fence = ""
    return f"{text}\n{open_fence}" if open_fence else text


def fence(text: str, language: str = "") -> str:
    """Return the text as a code block. The fence is longer than any run of backticks in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def _describe(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        match part:
            case Text() if part.text:
                yield close_fences(part.text)
            case Thinking() if part.text:
                yield _quote(f"*Thinking*\n\n{close_fences(part.text)}")
            case ToolCall():
                yield f"*Calls {escape(part.name)}*\n\n{fence(part.input_json, 'json')}"
            case ToolResult() if part.denied:
                yield "*Denied by the user*"
            case ToolResult():
                words = "\n".join(piece.text for piece in part.content if isinstance(piece, Text))
                heading = f"*{'Error' if part.is_error else 'Result'}*"
                yield f"{heading}\n\n{fence(words)}" if words else heading
                yield from _describe(tuple(piece for piece in part.content if not isinstance(piece, Text)))
            case TextFile():
                yield f"*File {escape(part.name)}*\n\n{fence(part.text)}"
            case Image():
                yield f"*Image, {escape(part.media_type)}*"
            case File():
                yield f"*File {escape(part.name)}*"
            case _:
                pass


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in close_fences(text).split("\n"))
