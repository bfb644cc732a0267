"""The recorded request of a provider call as the page shows it. Deleted texts are replaced by a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from app.domain.conversation.parts import Text
from app.domain.request.request import Request, RequestMessage, WireRole
from app.domain.request.sent_pieces import HEAD, SentContent, SentPiece
from app.views.inspector.request import (
    MORE_MESSAGES,
    FactView,
    PieceView,
    RequestWindow,
    show_messages,
    show_system,
    show_tools_of,
)
from app.views.usage.figures import number, plural

DELETED: Final = "This text is no longer stored."


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequestView:
    """A recorded request.

    - `count`: the number of its messages as text.
    - `messages`: the newest of them.
    - `earlier`: the label of the button that shows more messages, "" if all are shown.
    - `tools_count`: the number of its tools as text, "" if it has none.
    """

    system: PieceView | None
    count: str
    earlier: str
    messages: tuple[PieceView, ...]
    tools_count: str
    tools: tuple[PieceView, ...]
    parameters: tuple[FactView, ...]
    content_hash: str


def show_sent_request(
    content: SentContent, pieces: Sequence[SentPiece], content_hash: str, reading: RequestWindow
) -> RecordedRequestView:
    """Return the readable form of a recorded request with these pieces. `reading` says how much is shown."""
    head = {piece.role: piece for piece in pieces if piece.role in HEAD}
    said = [piece for piece in pieces if piece.role not in HEAD]
    request = Request(
        model="",
        system=content.system or (DELETED if "system" in head else ""),
        messages=tuple(map(_read_message, said, content.messages)),
        tools=content.tools or (),
    )
    earlier = max(0, len(said) - reading.messages)
    shown = show_messages(request.messages, {}, reading)
    lengths = (plural(piece.length, "character") for piece in said[len(said) - len(shown) :])
    tools = show_tools_of(request, reading)
    tools_count = plural(len(tools), "tool") if tools else ""
    return RecordedRequestView(
        system=show_system(request, reading),
        count=plural(len(said), "message"),
        earlier=f"Show {number(min(earlier, MORE_MESSAGES))} earlier" if earlier else "",
        messages=tuple(replace(one, whence=length) for one, length in zip(shown, lengths, strict=True)),
        tools_count="Tools: no longer stored" if "tools" in head and not tools else tools_count,
        tools=tools,
        parameters=_show_parameters(content, is_sent="parameters" in head),
        content_hash=content_hash,
    )


def _read_message(piece: SentPiece, message: RequestMessage | None) -> RequestMessage:
    return RequestMessage(cast("WireRole", piece.role), (Text(DELETED),)) if message is None else message


def _show_parameters(content: SentContent, *, is_sent: bool) -> tuple[FactView, ...]:
    if content.parameters is None:
        return (FactView("All parameters", DELETED),) if is_sent else ()
    return tuple(FactView(name, str(value)) for name, value in content.parameters.items())
