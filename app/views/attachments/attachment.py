"""The attachments of a request on the page: pictures, files, and other parts that are sent with its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from app.domain.attachments.attachments import id_of
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenAttachment:
    """An attachment of a request. `address` leads to the bytes of a picture or a file, `text` is the content of a text.

    `kind` "lost": the attachment cannot be read, and only its name is known. `width` and `height` are in pixels, 0 if
    unknown.
    """

    kind: Literal["image", "file", "text", "lost"]
    name: str
    address: str = ""
    text: str = ""
    width: int = 0
    height: int = 0


def show_attached(parts: tuple[Part, ...], lost: frozenset[str] = frozenset()) -> tuple[ScreenAttachment, ...]:
    """Convert each part to the form that the page shows, in order. `lost` are the ids of unreadable attachments."""
    return tuple(_show_lost(part) if id_of(part) in lost else _show(part) for part in parts)


def address_of(part: Image | File) -> str:
    """Return the address of the bytes of a picture or a file."""
    return f"/api/v1/attachments/{part.attachment_id}"


def _show_lost(part: Part) -> ScreenAttachment:
    name = part.name if isinstance(part, File) else "Picture"
    return ScreenAttachment(kind="lost", name=f"{name}: missing")


def _show(part: Part) -> ScreenAttachment:
    match part:
        case Image():
            name = "Picture"
            return ScreenAttachment(
                kind="image", name=name, address=address_of(part), width=part.width, height=part.height
            )
        case File():
            return ScreenAttachment(kind="file", name=part.name, address=address_of(part))
        case TextFile():
            return ScreenAttachment(kind="text", name=part.name, text=part.text)
        case Text():
            return ScreenAttachment(kind="text", name="Text", text=part.text)
        case Thinking():
            return ScreenAttachment(kind="text", name="Thinking", text=part.text)
        case ToolCall():
            return ScreenAttachment(kind="text", name=f"Call of {part.name}", text=part.input_json)
        case ToolResult():
            text = "\n".join(piece.text for piece in part.content if isinstance(piece, Text))
            return ScreenAttachment(kind="text", name="Result", text=text)
        case _:
            assert_never(part)
