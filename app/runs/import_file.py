"""Reading a file to be imported: checked whole before anything is stored, and the first fault is told by its place.

    read_file(b'{"title": "Plans", "pairs": [{"user_text": "Hi", "reply_text": "Hello", "model": "offline:demo"}]}')

Not here: the shape itself (`import_shapes.py`), and what the values mean for each other, such as two pairs at one
position (`import_records.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import orjson
from pydantic import ValidationError

from app.domain.errors import InputError
from app.runs.export_json import FORMAT, VERSION
from app.runs.import_part_shapes import Shape
from app.runs.import_shapes import ExportShape, PairShape

MOST_PAIRS = 200_000
"""Of all conversations of a file together."""
MOST_BYTES = 64 * 1024 * 1024
"""A file is read whole: this many bytes take about a second."""

Valid = TypeVar("Valid", bound=Shape)


class FaultError(InputError):
    """A file that cannot be imported. `field` is the place of the first fault as a JSON path, such as `$.pairs[0]`."""


def read_file(body: bytes) -> ExportShape:
    """The file, if it has the shape of one. A file that is one conversation alone is taken as such.

    Raises:
        FaultError: it has not; with the place of the first fault.
    """
    try:
        data: Any = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise FaultError("$", f"is not JSON: {error}.") from error
    if not isinstance(data, dict):
        raise FaultError("$", "is no object. An export begins with {.")
    alone = "pairs" in data and "conversations" not in data and "format" not in data
    given = cast("dict[str, Any]", data)
    whole: dict[str, Any] = {"format": FORMAT, "version": VERSION, "conversations": [given]} if alone else given
    _require_known(whole)
    shell, pairs = _take_pairs_out(whole)
    read = _validate(ExportShape, shell, "$", alone=alone)
    if sum(map(len, pairs)) > MOST_PAIRS:
        raise FaultError("$.conversations", f"holds more than {MOST_PAIRS:,} pairs. Import it in parts.")
    return read.model_copy(
        update={
            "conversations": [
                conversation.model_copy(update={"pairs": _read_pairs(of_one, number, alone=alone)})
                for number, (conversation, of_one) in enumerate(zip(read.conversations, pairs, strict=True))
            ]
        }
    )


def _take_pairs_out(whole: dict[str, Any]) -> tuple[dict[str, Any], list[list[Any]]]:
    """The file without its pairs, and those of each conversation: checked one by one, they let other threads work."""
    conversations: Any = whole.get("conversations")
    if not isinstance(conversations, list):
        return whole, []
    shells: list[Any] = []
    pairs: list[list[Any]] = []
    for conversation in cast("list[Any]", conversations):
        fields = cast("dict[str, Any]", conversation) if isinstance(conversation, dict) else {}
        of_one: Any = fields.get("pairs")
        has_pairs = isinstance(of_one, list)
        pairs.append(cast("list[Any]", of_one) if has_pairs else [])
        shells.append({**fields, "pairs": []} if has_pairs else cast("Any", conversation))
    return {**whole, "conversations": shells}, pairs


def _read_pairs(pairs: list[Any], number: int, *, alone: bool) -> list[PairShape]:
    place = f"$.conversations[{number}].pairs"
    return [_validate(PairShape, pair, f"{place}[{index}]", alone=alone) for index, pair in enumerate(pairs)]


def _validate(shape: type[Valid], data: Any, place: str, *, alone: bool) -> Valid:
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        fault = place + write_path(data, first["loc"]).removeprefix("$")
        raise FaultError(fault.replace("$.conversations[0]", "$", 1) if alone else fault, f"{first['msg']}.") from error


def write_path(data: Any, loc: Sequence[str | int]) -> str:
    """The place of a fault as a JSON path. What pydantic adds of its own, the name of a union's case, is left out.

    >>> write_path({"parts": [{"type": "text"}]}, ("parts", 0, "text", "text"))
    '$.parts[0].text'
    """
    path, here = "$", data
    for place, step in enumerate(loc):
        last = place == len(loc) - 1
        if isinstance(here, list) and isinstance(step, int):
            items = cast("list[Any]", here)
            path += f"[{step}]"
            here = items[step] if step < len(items) else None
        elif isinstance(here, dict) and isinstance(step, str):
            fields = cast("dict[str, Any]", here)
            if not last and (step not in fields or fields.get("type") == step):
                continue
            path += f".{step}"
            here = fields.get(step)
    return path


def _require_known(data: dict[str, Any]) -> None:
    if data.get("format") != FORMAT:
        raise FaultError("$.format", f'is not "{FORMAT}". Import a file that Inview exported, or one conversation.')
    if data.get("version") != VERSION:
        raise FaultError("$.version", f"is not {VERSION}, which this version of Inview reads. Use a newer one.")
