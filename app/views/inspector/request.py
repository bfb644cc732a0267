"""A request in readable form: facts about it, and its pieces: messages, system text, tools. Long pieces are cut.

Not here: the exact bytes (`json_pages.py`, and the download), and the complete preview of the API
(`app/views/request/preview.py`). `RequestWindow` says how much is shown.

    view = show_request(previewed, RequestWindow(messages=60))
    view.messages[-1].parts                # older messages have parts only while they fit; the others have a `gist`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.domain.context.composition import Composition
from app.domain.context.context import OutReason
from app.domain.conversation.parts import File, Image, Part, Text, TextFile, Thinking, ToolCall, ToolResult
from app.domain.request.request import Request, RequestMessage
from app.domain.text.differences import Sign
from app.views.conversation.pair import describe_replaced
from app.views.reply.kept_back import describe_kept_back
from app.views.request.composition import describe_estimate
from app.views.request.preview import Previewed, describe_parameters
from app.views.usage.figures import band, band_note, money, number, plural

FIRST_MESSAGES: Final = 60
MORE_MESSAGES: Final = 1_000
"""Number of older messages that the button "Show … earlier" adds."""
ROOM: Final = 120_000
"""Maximum number of characters of messages that are sent to the page before a person expands more of them."""
LONG: Final = 20_000
"""Maximum number of characters of a part until a person presses "Show more"."""
LONGEST: Final = 200_000
"""Maximum number of characters of a part. Only the JSON has the rest of a longer part."""
SYSTEM: Final = "system"

_MAX_NAMED: Final = 12
_GIST: Final = 160
_REASONS: Final[Mapping[OutReason, str]] = {
    OutReason.OVER_BUDGET: "over budget",
    OutReason.BEFORE_CHECKPOINT: "summarised",
    OutReason.FAILED: "failed",
    OutReason.FILTERED: "filtered",
    OutReason.DAMAGED: "damaged",
}


@dataclass(frozen=True, slots=True)
class RequestWindow:
    """The part of a request that is shown: only its newest messages, and only the beginning of long pieces.

    `messages` is the number of the messages. `opened` are the keys of the pieces that a person has expanded: a higher
    limit applies to these.
    """

    messages: int = FIRST_MESSAGES
    opened: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact about a request, such as a header or a parameter: a name with a value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RequestPartView:
    """A part of a piece. `label` names its kind, "" for plain text. `code`: its text is code, such as JSON.

    `more` describes the rest that is not shown, "" if all is shown. `ended`: the rest can only be seen in the JSON.
    """

    label: str
    text: str
    code: bool = False
    more: str = ""
    ended: bool = False


@dataclass(frozen=True, slots=True)
class PieceView:
    """A piece of a request that can be expanded: a message, the system text, a tool.

    - `role`: the role of a message, or the name of another piece.
    - `whence`: names the pair of the message, "" for none.
    - `gist`: the beginning of the text.
    - `opened`: the piece is expanded at first.
    - `loaded`: `parts` has its content; otherwise the page requests the content by `key` when a person expands the
      piece.
    - `sign`: in a comparison, "+" for an added piece and "-" for a removed one.
    - `same`: if it is set, the value is no piece but a line that replaces unchanged pieces, and this is their number.
    """

    key: str
    role: str = ""
    whence: str = ""
    pair_id: str = ""
    gist: str = ""
    opened: bool = False
    loaded: bool = False
    parts: tuple[RequestPartView, ...] = ()
    sign: Sign = ""
    same: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """A readable request.

    - `unsupported`, `redacted`, `left_out`: describe the parts that the request does not contain, a line each.
    - `messages`: the newest messages.
    - `earlier`: the label of the button that shows more messages, "" if all are shown.
    - `model_name`: the display name of `model`, "" for none.
    """

    model: str
    model_name: str = ""
    target: str
    pairs: str
    size: str
    unsupported: tuple[str, ...]
    redacted: tuple[str, ...]
    left_out: tuple[str, ...]
    system: PieceView | None
    count: str
    earlier: str
    messages: tuple[PieceView, ...]
    tools_count: str
    tools: tuple[PieceView, ...]
    parameters: tuple[FactView, ...]
    headers_count: str
    headers: tuple[FactView, ...]
    content_hash: str
    body_sha256: str
    body_size: str


def show_request(previewed: Previewed, body_sha256: str, reading: RequestWindow) -> RequestView:
    """Return the readable form of a previewed request. `reading` says how much is shown."""
    built, composition = previewed.built, previewed.composition
    request = built.request
    positions = {pair.pair_id: pair.position for pair in composition.visible.pairs}
    estimate = describe_estimate(composition.estimate)
    earlier = max(0, len(request.messages) - reading.messages)
    tools = show_tools_of(request, reading)
    headers = tuple(FactView(name, value) for name, value in previewed.headers)
    size = f"{band(estimate.tokens, estimate.error_band)} tokens"
    return RequestView(
        model=request.model,
        target=f"POST {previewed.url}",
        pairs=f"{number(composition.x)} of {plural(composition.y, 'pair')} in view",
        size=f"{size} ({band_note(estimate.error_band)}), {money(estimate.cost)}",
        unsupported=tuple(
            f"{_name_pair(part.pair_id, positions)}: {part.kind}. {part.reason}" for part in built.unsupported
        ),
        redacted=tuple(describe_kept_back(one, positions) for one in describe_replaced(previewed.built.replaced or ())),
        left_out=_describe_left_out(composition, positions),
        system=show_system(request, reading),
        count=plural(len(request.messages), "message"),
        earlier=f"Show {number(min(earlier, MORE_MESSAGES))} earlier" if earlier else "",
        messages=show_messages(request.messages, positions, reading),
        tools_count=plural(len(tools), "tool") if tools else "",
        tools=tools,
        parameters=show_parameters(request),
        headers_count=f"{plural(len(headers), 'header')}, secrets masked" if headers else "",
        headers=headers,
        content_hash=previewed.hashes[-1],
        body_sha256=body_sha256,
        body_size=f"{number(len(previewed.body))} bytes, exactly as they would be sent.",
    )


def show_messages(
    messages: Sequence[RequestMessage], positions: Mapping[str, int], reading: RequestWindow
) -> tuple[PieceView, ...]:
    """Return the newest messages of a request as pieces, oldest first. The last one is expanded.

    `positions` has the positions of pairs by id. `reading` says how much is shown.
    """
    room, shown = ROOM, list[PieceView]()
    first = max(0, len(messages) - reading.messages)
    for index in range(len(messages) - 1, first - 1, -1):
        message = messages[index]
        piece = show_message(message, f"message:{index}", positions, opened=index == len(messages) - 1)
        size = size_of(message.parts)
        if piece.opened or piece.key in reading.opened or size <= room:
            piece = load_piece(piece, message.parts, reading)
            room -= size
        shown.append(piece)
    return tuple(reversed(shown))


def show_message(
    message: RequestMessage, key: str, positions: Mapping[str, int], *, opened: bool = False, sign: Sign = ""
) -> PieceView:
    """Return a message as a piece without its parts. `opened`: the piece is expanded at first.

    `sign` is "+" or "-" in a comparison of two requests, otherwise "". `positions` has the positions of pairs by id.
    """
    position = positions.get(message.pair_id or "")
    whence = "draft" if message.pair_id is None else f"pair {position}" if position else "pair"
    gist = gist_of(" ".join(_begin(part)[:_GIST] for part in message.parts))
    return PieceView(key, message.role, whence, message.pair_id or "draft", gist, opened=opened, sign=sign)


def load_piece(piece: PieceView, parts: Iterable[Part], reading: RequestWindow) -> PieceView:
    """Return the piece with its parts. Long parts are cut; the limit is higher if a person has expanded the piece."""
    limit = LONGEST if piece.key in reading.opened else LONG
    return replace(piece, loaded=True, parts=tuple(_cut(_show_part(part), limit) for part in parts))


def show_system(request: Request, reading: RequestWindow) -> PieceView | None:
    """Return the system text of a request as an expanded piece; None if the request has no system text."""
    if not request.system:
        return None
    piece = PieceView(SYSTEM, "System", gist=gist_of(request.system), opened=True)
    return load_piece(piece, (Text(request.system),), reading)


def show_tools_of(request: Request, reading: RequestWindow) -> tuple[PieceView, ...]:
    """Return a collapsed piece for each tool in the request."""
    room, shown = ROOM, list[PieceView]()
    for index, tool in enumerate(request.tools):
        text = f"{tool.description}\n\n{tool.input_schema_json}"
        piece = PieceView(f"tool:{index}", tool.name, gist=gist_of(text))
        if piece.key in reading.opened or len(text) <= room:
            piece = load_piece(piece, (Text(text),), reading)
            room -= len(text)
        shown.append(piece)
    return tuple(shown)


def show_parameters(request: Request) -> tuple[FactView, ...]:
    """Return the parameters that are set in a request, each as a name with a value."""
    return tuple(FactView(name, str(value)) for name, value in describe_parameters(request.parameters).items())


def gist_of(text: str) -> str:
    """Return the gist of a piece: the beginning of its text, on one line."""
    return " ".join(text[:_GIST].split())


def _describe_left_out(composition: Composition, positions: Mapping[str, int]) -> tuple[str, ...]:
    by_reason = dict[OutReason, list[int]]()
    for pair_id, reason in composition.out.items():
        by_reason.setdefault(reason, []).append(positions.get(pair_id, 0))
    return tuple(
        f"{plural(len(pairs), 'pair')}: {_REASONS[reason]}{_list_positions(pairs)}"
        for reason, pairs in by_reason.items()
    )


def _list_positions(positions: Sequence[int]) -> str:
    known = [str(position) for position in positions if position]
    return f" ({', '.join(known)})" if 0 < len(known) <= _MAX_NAMED else ""


def _name_pair(pair_id: str | None, positions: Mapping[str, int]) -> str:
    if pair_id is None:
        return "The draft"
    position = positions.get(pair_id)
    return f"Pair {position}" if position else "An older pair"


def _cut(part: RequestPartView, limit: int) -> RequestPartView:
    if len(part.text) <= limit:
        return part
    more = f"{number(len(part.text) - limit)} more characters"
    if limit == LONGEST:
        return replace(part, text=part.text[:limit], more=f"{more} are in the JSON.", ended=True)
    return replace(part, text=part.text[:limit], more=f"Show {more}")


def size_of(parts: Iterable[Part]) -> int:
    return sum(min(LONG, len(_show_part(part).text)) for part in parts)


def _show_part(part: Part) -> RequestPartView:
    match part:
        case Text():
            return RequestPartView("", part.text)
        case Thinking():
            return RequestPartView("Thinking", part.text or "(hidden, signed)")
        case ToolCall():
            return RequestPartView(f"Calls {part.name}", part.input_json, code=True)
        case ToolResult():
            label = "Result, denied by you" if part.denied else "Result"
            return RequestPartView(label, "\n".join(_begin(piece) for piece in part.content))
        case Image():
            return RequestPartView("image", part.media_type)
        case File():
            return RequestPartView("file", part.name)
        case TextFile():
            return RequestPartView(f"file {part.name}", part.text, code=True)


def _begin(part: Part) -> str:
    """Return a text for the beginning of a part: its text, its name or its kind."""
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall() | File() | TextFile():
            return part.name
        case Image():
            return "[image]"
        case ToolResult():
            return "[tool_result]"
