"""Parts: the immutable blocks a message is made of.

A part is what a provider calls a content block. It holds no bytes of images and no vendor objects: attachments are
named by the SHA-256 of their content and resolved where they are sent.

    >>> plain_text((Text("Hello "), Thinking("hm"), Text("world")))
    'Hello world'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Text:
    """Words, exactly as written or received."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A model's reasoning.

    `vendor` is the provider whose `signature` vouches for it; only that vendor takes it back. `redacted` thinking
    has no readable text: its signature is the vendor's opaque data.
    """

    text: str
    signature: str | None = None
    vendor: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, by the SHA-256 (hex) of its bytes. `width` and `height` are pixels, 0 when not known."""

    attachment_id: str
    media_type: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class File:
    """A document, by the SHA-256 (hex) of its bytes."""

    attachment_id: str
    media_type: str
    name: str


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of text or code that a person attached, with all its text: every model reads it (`write_text_file`)."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool. `input_json` is the text received; `complete` once no more of it will come.

    Its state is derived, see `tool_call_state`.
    """

    tool_call_id: str
    name: str
    input_json: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer of a tool to the call of that id.

    For people alone: `seconds` is how long it took (None: not measured). `denied`: a person denied the call, so it was
    not made, and the content tells the model so.
    """

    tool_call_id: str
    content: tuple[Text | Image | File, ...]
    is_error: bool = False
    seconds: float | None = field(default=None, compare=False)
    denied: bool = field(default=False, compare=False)


SentPart = Text | Thinking | Image | File | ToolCall | ToolResult
"""What requests are made of."""
Part = SentPart | TextFile


def plain_text(parts: Iterable[Part]) -> str:
    """The words of a message, without thinking, tool calls and results."""
    return "".join(part.text for part in parts if isinstance(part, Text))


def list_attached(parts: Iterable[Part]) -> tuple[Part, ...]:
    """What a message has beside its text: its images and files."""
    return tuple(part for part in parts if not isinstance(part, Text))


def has_attachment(parts: Iterable[Part]) -> bool:
    """Whether an image or a file is among the parts."""
    return any(isinstance(part, Image | File | TextFile) for part in parts)


def write_text_file(file: TextFile) -> str:
    r"""The text that a model gets for a file: its lines between two that name it.

    >>> write_text_file(TextFile("a.csv", "x,y"))
    '<file name="a.csv">\nx,y\n</file>'
    """
    end = "" if file.text.endswith("\n") or not file.text else "\n"
    return f'<file name="{file.name}">\n{file.text}{end}</file>'


def tool_call_state(call: ToolCall, parts: Iterable[Part]) -> str:
    """`input-streaming`, `input-available`, `output-available` or `output-error`, seen among its message's parts."""
    if not call.complete:
        return "input-streaming"
    for part in parts:
        if isinstance(part, ToolResult) and part.tool_call_id == call.tool_call_id:
            return "output-error" if part.is_error else "output-available"
    return "input-available"
