"""Views of the parts of a message: one class for each kind of part, distinguished by `type`.

There is one view for each part, in the same order, so that the `index` in a run's events finds the view of a part. Data
that only a vendor can read (signatures, redacted thinking) is left out, except with `raw`, for the raw history.

    >>> describe_parts((Text("Hi"),))
    (TextView(type='text', text='Hi'),)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never, cast

from app.domain.conversation.parts import (
    File,
    Image,
    Part,
    Text,
    TextFile,
    Thinking,
    ToolCall,
    ToolResult,
    tool_call_state,
)

ToolCallState = Literal["input-streaming", "input-available", "output-available", "output-error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """Text, in Markdown as the model or the person wrote it."""

    type: Literal["text"] = "text"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingView:
    """Reasoning. `redacted`: the vendor does not reveal its text."""

    type: Literal["thinking"] = "thinking"
    text: str
    redacted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RawThinkingView(ThinkingView):
    """Reasoning with its signature. In a later request, the vendor accepts the reasoning only with the signature."""

    signature: str | None
    vendor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageView:
    """A picture, identified by the SHA-256 of its bytes."""

    type: Literal["image"] = "image"
    attachment_id: str
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """A document, identified by the SHA-256 of its bytes."""

    type: Literal["file"] = "file"
    attachment_id: str
    media_type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFileView:
    """A file of text or code that was attached to a request, with all its text."""

    type: Literal["text_file"] = "text_file"
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallView:
    """A tool call with its state. `input_json` is its input as JSON text, as far as received."""

    type: Literal["tool_call"] = "tool_call"
    tool_call_id: str
    name: str
    input_json: str
    state: ToolCallState


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultView:
    """The result of the tool call with this id. `seconds` is the duration of the call; null: the call was not made."""

    type: Literal["tool_result"] = "tool_result"
    tool_call_id: str
    content: tuple[TextView | ImageView | FileView, ...]
    is_error: bool
    seconds: float | None


PartView = (
    TextView | ThinkingView | RawThinkingView | ImageView | FileView | TextFileView | ToolCallView | ToolResultView
)


def describe_parts(parts: tuple[Part, ...], *, raw: bool = False) -> tuple[PartView, ...]:
    """Convert the parts of a message for the HTTP API. `raw`: with signatures and vendors, as they are stored."""
    return tuple(_describe_part(part, parts, raw=raw) for part in parts)


def _describe_part(part: Part, parts: tuple[Part, ...], *, raw: bool) -> PartView:
    match part:
        case Text():
            return TextView(text=part.text)
        case Thinking() if raw:
            return RawThinkingView(text=part.text, redacted=part.redacted, signature=part.signature, vendor=part.vendor)
        case Thinking():
            return ThinkingView(text=part.text, redacted=part.redacted)
        case Image():
            return _describe_image(part)
        case File():
            return _describe_file(part)
        case TextFile():
            return TextFileView(name=part.name, text=part.text)
        case ToolCall():
            return ToolCallView(
                tool_call_id=part.tool_call_id,
                name=part.name,
                input_json=part.input_json,
                state=cast("ToolCallState", tool_call_state(part, parts)),
            )
        case ToolResult():
            content = tuple(map(describe_content, part.content))
            return ToolResultView(
                tool_call_id=part.tool_call_id, content=content, is_error=part.is_error, seconds=part.seconds
            )
        case _:
            assert_never(part)


def describe_content(piece: Text | Image | File) -> TextView | ImageView | FileView:
    """Convert a text, a picture or a file, a part of a tool result or a message, for the HTTP API and the page."""
    match piece:
        case Text():
            return TextView(text=piece.text)
        case Image():
            return _describe_image(piece)
        case File():
            return _describe_file(piece)


def _describe_file(file: File) -> FileView:
    return FileView(attachment_id=file.attachment_id, media_type=file.media_type, name=file.name)


def _describe_image(image: Image) -> ImageView:
    return ImageView(
        attachment_id=image.attachment_id, media_type=image.media_type, width=image.width, height=image.height
    )
