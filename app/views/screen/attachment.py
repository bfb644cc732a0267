"""The attachments of a request as the page draws them: pictures, files, and everything else that is sent with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.language.translation import translate
from app.views.figures import plural, size
from app.views.parts import ImageView


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenAttachment:
    """A picture or a file is at its `address`; a `text` is shown as it is. Sizes are pixels, 0 if not known.

    `note` says how many pages a file has, as far as that is known.
    """

    kind: Literal["image", "file", "text"]
    name: str
    address: str = ""
    text: str = ""
    note: str = ""
    width: int = 0
    height: int = 0


def show_attached(parts: tuple[Part, ...]) -> tuple[ScreenAttachment, ...]:
    """What is drawn of these parts of a request, as many and in the same order."""
    return tuple(map(_show, parts))


def address_of(part: Image | File | ImageView) -> str:
    """Where the bytes are."""
    return f"/api/v1/attachments/{part.attachment_id}"


def _show(part: Part) -> ScreenAttachment:
    match part:
        case Image():
            name = translate("common.picture")
            return ScreenAttachment(
                kind="image", name=name, address=address_of(part), width=part.width, height=part.height
            )
        case File():
            pages = plural(part.pages, "page") if part.pages else ""
            note = " · ".join(filter(None, (pages, size(part.size) if part.size else "")))
            return ScreenAttachment(kind="file", name=part.name, address=address_of(part), note=note)
        case TextFile():
            return ScreenAttachment(kind="text", name=part.name, text=part.text)
        case Text():
            return ScreenAttachment(kind="text", name=translate("screen.attachment.text"), text=part.text)
        case Thinking():
            return ScreenAttachment(kind="text", name=translate("common.thinking"), text=part.text)
        case ToolCall():
            return ScreenAttachment(
                kind="text", name=translate("screen.attachment.call_of", name=part.name), text=part.input_json
            )
        case ToolResult():
            text = "\n".join(piece.text for piece in part.content if isinstance(piece, Text))
            return ScreenAttachment(kind="text", name=translate("common.result"), text=text)
        case _:
            assert_never(part)
