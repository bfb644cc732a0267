"""The differences between two requests as the page shows them: changed fields first, then message by message.

`show_changes` compares requests in the common form, `show_body_changes` the JSON bodies of any provider's protocol.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from app.domain.conversation.parts import Part, Text
from app.domain.request.hashing import canonical_message
from app.domain.request.request import Request, RequestMessage
from app.domain.text.differences import Sign, diff_items
from app.views.inspector.request import (
    LONG,
    ROOM,
    PieceView,
    RequestWindow,
    gist_of,
    load_piece,
    show_message,
    size_of,
)
from app.views.request.preview import describe_parameters
from app.views.usage.figures import number, plural

T = TypeVar("T")
_LISTS: Final = ("messages", "input")
"""The names of the field with the messages in the protocols of providers. Other fields are compared as a whole."""


@dataclass(frozen=True, slots=True)
class HeadChangeView:
    """A change in a field other than the messages: its old and its new text, "none" for an empty text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The differences between two requests.

    - `warning`: the reason why they may be inexact, "" if they are exact.
    - `note`: a sentence about all differences.
    - `heads`: the changed fields.
    - `rows`: the messages; one line replaces each group of consecutive unchanged messages.
    """

    warning: str
    note: str
    heads: tuple[HeadChangeView, ...]
    rows: tuple[PieceView, ...]


@dataclass(frozen=True, slots=True)
class ComparedRequest:
    """One of two requests to compare, with the positions of its pairs by id."""

    request: Request
    positions: Mapping[str, int]


def show_changes(
    before: ComparedRequest, after: ComparedRequest, reading: RequestWindow, *, warning: str = ""
) -> ChangesView:
    """Return the differences from the last request `before` to the request `after`.

    - `reading`: how much is shown.
    - `warning`: the reason why they may be inexact.
    """
    last, new = before.request, after.request
    heads = _heads(
        [
            ("Model", last.model, new.model),
            ("System", last.system, new.system),
            ("Parameters", _describe_parameters(last), _describe_parameters(new)),
            ("Tools", _describe_tools(last), _describe_tools(new)),
        ]
    )
    rows = diff_items(last.messages, new.messages, canonical_message)

    def piece(sign: Sign, message: RequestMessage, at: int) -> tuple[PieceView, tuple[Part, ...]]:
        positions = before.positions if sign == "-" else after.positions
        return show_message(message, f"change:{at}", positions, sign=sign), message.parts

    prefix = next((at for at, (sign, _) in enumerate(rows) if sign), len(rows))
    note = ""
    if not heads and prefix:
        note = f"The first {plural(prefix, 'message')} {'is' if prefix == 1 else 'are'} as in the last request. "
    if not heads and prefix == len(rows):
        note += "Nothing else is different."
    return ChangesView(warning, note, heads, _fold(rows, piece, reading))


def show_body_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], reading: RequestWindow, urls: tuple[str, str]
) -> ChangesView:
    """Return the differences between two JSON bodies of requests. `reading` says how much is shown.

    `urls` are the addresses that the bodies are sent to.
    """
    field = next((name for name in _LISTS if isinstance(before.get(name), list)), _LISTS[0])
    names = [name for name in dict.fromkeys((*before, *after)) if name != field]
    heads = _heads([("To", *urls), *((name, _as_text(before.get(name)), _as_text(after.get(name))) for name in names)])
    rows = diff_items(_list_of(before, field), _list_of(after, field), _as_key)

    def piece(sign: Sign, message: object, at: int) -> tuple[PieceView, tuple[Part, ...]]:
        role, parts = _read_message(message)
        gist = gist_of(" ".join(part.text for part in parts))
        return PieceView(f"change:{at}", role, "", "draft", gist, sign=sign), parts

    came, went = (sum(sign == kind for sign, _ in rows) for kind in "+-")
    note = f"Compared with what was sent: {plural(came, 'message')} added, {plural(went, 'message')} removed."
    return ChangesView("", note, heads, _fold(rows, piece, reading))


def _fold(
    rows: Sequence[tuple[Sign, T]],
    piece: Callable[[Sign, T, int], tuple[PieceView, tuple[Part, ...]]],
    reading: RequestWindow,
) -> tuple[PieceView, ...]:
    """Return the changed rows as pieces, with one line for each group of consecutive unchanged rows."""
    shown, same, room = list[PieceView](), 0, ROOM
    for at, (sign, item) in enumerate(rows):
        if not sign:
            same += 1
            continue
        if same:
            shown.append(_same(at, same))
            same = 0
        folded, parts = piece(sign, item, at)
        size = size_of(parts)
        if size <= room or folded.key in reading.opened:
            folded = load_piece(folded, parts, reading)
            room -= min(size, LONG)
        shown.append(folded)
    if same:
        shown.append(_same(len(rows), same))
    return tuple(shown)


def _same(at: int, count: int) -> PieceView:
    return PieceView(f"same:{at}", same=f"{number(count)} the same")


def _heads(found: Sequence[tuple[str, str, str]]) -> tuple[HeadChangeView, ...]:
    return tuple(
        HeadChangeView(name, before or "none", after or "none") for name, before, after in found if before != after
    )


def _describe_parameters(request: Request) -> str:
    return "\n".join(f"{name}: {value}" for name, value in describe_parameters(request.parameters).items())


def _describe_tools(request: Request) -> str:
    return "\n".join(f"{tool.name}: {tool.description} {tool.input_schema_json}" for tool in request.tools)


def _list_of(body: Mapping[str, Any], field: str) -> list[object]:
    found = body.get(field)
    return cast("list[object]", found) if isinstance(found, list) else []


def _as_key(value: Any) -> Hashable:
    return json.dumps(value, sort_keys=True)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)


def _read_message(message: object) -> tuple[str, tuple[Text, ...]]:
    """Return the role and the texts of a message in the JSON of any protocol."""
    if not isinstance(message, dict):
        return "item", (Text(_as_text(message)),)
    fields = dict(cast("dict[str, object]", message))
    role, content = str(fields.pop("role", "item")), fields.pop("content", None)
    pieces = cast("list[object]", content) if isinstance(content, list) else [] if content is None else [content]
    texts = [_read_piece(piece) for piece in pieces]
    if fields:
        texts.append(json.dumps(fields, ensure_ascii=False))
    return role, tuple(map(Text, texts))


def _read_piece(piece: object) -> str:
    if isinstance(piece, str):
        return piece
    text = cast("dict[str, object]", piece).get("text") if isinstance(piece, dict) else None
    return text if isinstance(text, str) else json.dumps(piece, ensure_ascii=False)
