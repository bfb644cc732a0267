"""The content of an expanded tool card: its server, its arguments, its result, or the reason why there is none.

    show_body(ShownCall(id="p1/1/call-1", running=False, call=call, result=result, record=record, …))

Only the beginning of a long text is shown at first. A text that is too long for a page is always cut; `download` then
has all of it. A text that is not JSON, or that is nested too deeply to be formatted, is shown as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Final, Literal, assert_never

from app.domain.conversation.parts import File, Image, Text, ToolCall, ToolResult
from app.domain.tools.arguments import DEEPEST
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import ToolContent
from app.views.attachments.attachment import address_of
from app.views.usage.figures import number

MAX_START: Final = 2_000
MAX_LINES: Final = 24
MAX_TEXT: Final = 200_000
"""Maximum number of characters of a text on the page, and of the text of a result that can be copied."""
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_BRACKET: Final = re.compile(r"[][{}]")

_FAULTS: Final[Mapping[CallFault, str]] = MappingProxyType(
    {
        CallFault.UNKNOWN: "The request did not offer a tool with this name.",
        CallFault.INVALID_INPUT: "The arguments do not match the tool's schema.",
        CallFault.DENIED: "The call was not allowed.",
        CallFault.GONE: "The tool is no longer available.",
        CallFault.CHANGED: "The tool or its server was changed after the call was allowed, so the call was not made.",
        CallFault.UNAVAILABLE: "The tool's server is not running.",
        CallFault.DIED: "The tool's server stopped during the call.",
        CallFault.TIMED_OUT: "The tool did not answer in time.",
        CallFault.PROTOCOL: "The tool's server returned an invalid answer.",
        CallFault.REFUSED: "Inview refused the call.",
        CallFault.TOO_LARGE: "The result was too large.",
        CallFault.UNRECORDED: "The call could not be recorded, so it was not made.",
        CallFault.STOPPED: "The reply ended before the call returned.",
        CallFault.INTERRUPTED: "Inview stopped before the call returned.",
        CallFault.INTERNAL: "Inview had an internal error.",
    }
)

PieceKind = Literal["json", "text", "image", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPieceView:
    """A piece of the result of a tool call, or its arguments.

    - `start`: the beginning of a text, which is shown.
    - `more`: the label of the button that shows all of it; "": there is no button.
    - `address`: the address of the bytes of a picture or a file.
    - `width`, `height`: in pixels, 0 if unknown.
    """

    id: str
    kind: PieceKind
    text: str = ""
    start: str = ""
    more: str = ""
    address: str = ""
    name: str = ""
    media_type: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentsView:
    """The arguments of a tool call under a title. `piece` is None if the call has no arguments."""

    title: str
    piece: ResultPieceView | None


@dataclass(frozen=True, slots=True)
class DelegatedView:
    """The link to the conversation of delegated work. `text` is the text of the link, `cost` describes its cost."""

    conversation_id: str
    text: str
    cost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBodyView:
    """The content of an expanded tool card. `id` identifies the call. Empty texts are not shown.

    - `server` names the tool and its server.
    - `arguments` has a second entry if a person changed them before the tool ran.
    - `answered`: the call has a result, which is in `pieces`.
    - `whole`: the pieces are the full result, but the model got only its beginning.
    - `copied`: the text that the copy button of the result copies.
    - `unanswered`: the reply ended before the call returned.
    - `download`: the address of the full record, if it is too large for the page.
    """

    id: str
    server: str
    delegated: DelegatedView | None
    arguments: tuple[ArgumentsView, ...]
    fault: str
    answered: bool
    failed: bool
    denied: bool
    whole: bool
    pieces: tuple[ResultPieceView, ...]
    copied: str
    structured: ResultPieceView | None
    unanswered: bool
    download: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """The input of `show_body`: a tool call with its result and its record, as far as they exist.

    `running`: the reply is running. `record_address` is the address of the full record.
    """

    id: str
    running: bool
    call: ToolCall
    result: ToolResult | None
    record: ToolCallRecord | None
    delegated: DelegatedView | None
    record_address: str


def show_body(shown: ShownCall) -> ToolBodyView:
    """Return the content of an expanded tool card."""
    record, result = shown.record, shown.result
    whole = record.content if record is not None and result is not None else None
    content: tuple[ToolContent, ...] = whole or (() if result is None else result.content)
    text = "\n".join(piece.text for piece in content if isinstance(piece, Text))
    structured = "" if record is None or shown.delegated is not None else record.structured_json or ""
    arguments = _show_arguments(shown)
    denied = result is not None and result.denied
    is_large = max(len(text), len(structured), *(len(each) for _, each in arguments)) > MAX_TEXT
    return ToolBodyView(
        id=shown.id,
        server="" if record is None else _name_server(record),
        delegated=shown.delegated,
        arguments=tuple(
            ArgumentsView(title, _show_text(text, f"{shown.id}/arguments/{at}") if text else None)
            for at, (title, text) in enumerate(arguments)
        ),
        fault="" if record is None or record.fault is None or denied else _FAULTS[record.fault],
        answered=result is not None,
        failed=result is not None and result.is_error and not denied,
        denied=denied,
        whole=whole is not None,
        pieces=tuple(_show_piece(piece, f"{shown.id}/{at}") for at, piece in enumerate(content)),
        copied="" if len(text) > MAX_TEXT else text,
        structured=_show_text(structured, f"{shown.id}/structured") if 0 < len(structured) <= MAX_TEXT else None,
        unanswered=result is None and not shown.running,
        download=shown.record_address if is_large else "",
    )


def list_pieces(body: ToolBodyView) -> set[str]:
    """Return the ids of all pieces in the content of a tool card."""
    pieces = (*body.pieces, body.structured, *(each.piece for each in body.arguments))
    return {piece.id for piece in pieces if piece is not None}


def _name_server(record: ToolCallRecord) -> str:
    return f"{record.title or record.tool_name} · server {record.server_name}" if record.server_name else ""


def _show_arguments(shown: ShownCall) -> tuple[tuple[str, str], ...]:
    """Return titles and texts of the arguments: as the model wrote them and, if a person changed them, as they ran."""
    requested = shown.call.input_json
    run = None if shown.record is None else shown.record.run_json
    if not run or _says_the_same(run, requested):
        return (("Arguments", _bare(requested)),)
    return (("Arguments, as the model sent them", _bare(requested)), ("Arguments, as they were run", _bare(run)))


def _bare(input_json: str) -> str:
    return "" if input_json == "{}" else input_json


def _show_piece(piece: ToolContent, piece_id: str) -> ResultPieceView:
    match piece:
        case Text():
            return _show_text(piece.text, piece_id)
        case Image():
            return ResultPieceView(
                id=piece_id, kind="image", address=address_of(piece), width=piece.width, height=piece.height
            )
        case File():
            return ResultPieceView(
                id=piece_id, kind="file", address=address_of(piece), name=piece.name, media_type=piece.media_type
            )
        case _:
            assert_never(piece)


def _show_text(text: str, piece_id: str) -> ResultPieceView:
    if len(text) <= MAX_TEXT and _is_json(text):
        return ResultPieceView(id=piece_id, kind="json", text=text)
    start = "\n".join(text.split("\n", MAX_LINES)[:MAX_LINES])[:MAX_START]
    if start == text:
        return ResultPieceView(id=piece_id, kind="text", text=text, start=text)
    more = f"Show all, {number(len(text))} characters" if len(text) <= MAX_TEXT else ""
    return ResultPieceView(id=piece_id, kind="text", text=text if more else "", start=f"{start}…", more=more)


def _is_json(text: str) -> bool:
    """Return True for the JSON of an object or a list that can be formatted. A number or a word is shown as text."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    steps = (1 if bracket in "{[" else -1 for bracket in _BRACKET.findall(_STRING.sub("", text)))
    return max(accumulate(steps)) <= DEEPEST


def _says_the_same(one: str, other: str) -> bool:
    """Return True if two JSON texts have the same content in the same order."""
    try:
        return json.dumps(json.loads(one)) == json.dumps(json.loads(other or "{}"))
    except (ValueError, RecursionError):
        return False
