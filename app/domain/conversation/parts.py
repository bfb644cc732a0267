"""Parts: the immutable blocks of a message. Providers call them content blocks.

A part contains no image bytes and no vendor objects. An image or a file is named by the SHA-256 of its bytes. The bytes
are loaded when a request is sent.

    >>> plain_text((Text("Hello "), Thinking("hm"), Text("world")))
    'Hello world'
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """Text, exactly as written or received."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A model's reasoning.

    - `vendor`: the provider that made the `signature`. Only this provider accepts the thinking in later requests.
    - `redacted`: the thinking has no readable text. Its signature is the vendor's opaque data.
    """

    text: str
    signature: str | None = None
    vendor: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """An image. `attachment_id` is the SHA-256 (hex) of its bytes. `width` and `height` are in pixels, 0 if unknown."""

    attachment_id: str
    media_type: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class File:
    """A document. `attachment_id` is the SHA-256 (hex) of its bytes."""

    attachment_id: str
    media_type: str
    name: str


class _Utf8:
    """A field with a text that is kept as UTF-8: a `str` with one emoji takes four bytes for each character.

    Each use decodes the text. The dataclass that has the field must have no slots.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> str:
        if instance is None:
            raise AttributeError(self._name)  # with this error, the dataclass finds no default value for the field
        kept: bytes = instance.__dict__[self._name]
        return kept.decode(errors="surrogatepass")

    def __set__(self, instance: object, text: str) -> None:
        instance.__dict__[self._name] = str.encode(text, errors="surrogatepass")


def _kept_as_utf8() -> Any:
    return _Utf8()


@dataclass(frozen=True)
class TextFile:
    """A file of text or code that a person attached, with all its text.

    It is sent as text (`SentTextFile`), so every model accepts it.
    """

    name: str
    text: str = _kept_as_utf8()


class SentTextFile(Text):
    """A text file in a request: its text is the result of `write_text_file`.

    Each use writes the text again, because a request is kept as long as its reply runs, and a copy of a long file
    takes much memory.
    """

    __slots__ = ("file",)
    file: TextFile

    def __init__(self, file: TextFile) -> None:
        object.__setattr__(self, "file", file)

    @property
    def text(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride] - read only, as in every frozen part
        return write_text_file(self.file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.text == other.text

    def __hash__(self) -> int:
        return super().__hash__()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to call a tool. `tool_call_state` derives its state.

    `input_json` is the text received so far. `complete`: all of it was received.
    """

    tool_call_id: str
    name: str
    input_json: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call with this id.

    Two fields are only for people:

    - `seconds`: the duration of the call; None if it was not measured.
    - `denied`: a person denied the call, so it was not made. The content says this to the model.
    """

    tool_call_id: str
    content: tuple[Text | Image | File, ...]
    is_error: bool = False
    seconds: float | None = field(default=None, compare=False)
    denied: bool = field(default=False, compare=False)


SentPart = Text | Thinking | Image | File | ToolCall | ToolResult
"""The parts that a request can contain."""
Part = SentPart | TextFile


def plain_text(parts: Iterable[Part]) -> str:
    """Return the text of a message, without thinking, tool calls and results."""
    return "".join(part.text for part in parts if isinstance(part, Text))


def list_attached(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts of a message that are not text."""
    return tuple(part for part in parts if not isinstance(part, Text))


def has_attachment(parts: Iterable[Part]) -> bool:
    """Return True if the parts contain an image or a file."""
    return any(isinstance(part, Image | File | TextFile) for part in parts)


def write_text_file(file: TextFile) -> str:
    r"""Return the text that a model gets instead of a text file: its content between two tags with its name.

    >>> write_text_file(TextFile("a.csv", "x,y"))
    '<file name="a.csv">\nx,y\n</file>'
    """
    text = file.text
    end = "" if text.endswith("\n") or not text else "\n"
    return f'<file name="{file.name}">\n{text}{end}</file>'


def write_replacement(piece: Image | File) -> str:
    """Return the text that replaces a picture or file in a tool's result if the model does not accept it.

    >>> write_replacement(Image("ab" * 32, "image/png"))
    '[A picture (image/png) was here. It cannot be sent to this model.]'
    >>> write_replacement(File("cd" * 32, "audio/wav", "a.wav"))
    '[The file a.wav (audio/wav) was here. It cannot be sent to this model.]'
    """
    is_picture = isinstance(piece, Image) or piece.media_type.startswith("image/")
    named = "A picture" if is_picture or not isinstance(piece, File) else f"The file {piece.name}"
    return f"[{named} ({piece.media_type}) was here. It cannot be sent to this model.]"


def tool_call_state(call: ToolCall, parts: Iterable[Part]) -> str:
    """Return the state of a tool call, which depends on the parts of its message.

    It is `input-streaming`, `input-available`, `output-available` or `output-error`.
    """
    if not call.complete:
        return "input-streaming"
    for part in parts:
        if isinstance(part, ToolResult) and part.tool_call_id == call.tool_call_id:
            return "output-error" if part.is_error else "output-available"
    return "input-available"
