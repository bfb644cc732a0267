"""Whether a reply fits the schema it was asked for, also while it is still being written.

    structured = await read_structured(wb, owner, pair_id)
    structured.faults, structured.repair

`jsonschema` decides; it is imported with the first schema. References are followed within the schema alone.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from app.domain.errors import ConflictError, InputError
from app.domain.lifecycle import RUNNING
from app.domain.partial_json import PartialJson, Path, read_partial
from app.domain.parts import plain_text
from app.domain.structured import FIELD, SchemaFault, is_repair, write_repair
from app.runs.workbench import Workbench
from app.store import pairs

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MOST_FAULTS = 50
_LASTING = frozenset({"type", "additionalProperties", "maxItems", "maxProperties", "maxLength"})
"""What holds of a value that is not finished yet and fails: whatever else comes cannot mend it."""


@dataclass(frozen=True, slots=True)
class Structured:
    """A reply read as JSON. `value` is what there is of it (None where `found` is not so).

    `faults` are those that no more text can mend, while the reply is `running`; after it, all. `repair`: the text to
    send to have them mended, None where nothing is wrong, or where that was tried with this very reply.
    """

    pair_id: str
    schema_json: str
    running: bool
    found: bool
    value: Any
    open_path: Path | None
    faults: tuple[SchemaFault, ...]
    repair: str | None


def require_schema(schema_json: str) -> None:
    """Refuse what is JSON but no schema.

    Raises:
        InputError: it says where.
    """
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415 - see the module's docstring
    from jsonschema.validators import validator_for  # noqa: PLC0415 - as above

    schema = orjson.loads(schema_json)
    try:
        validator_for(schema, default=_newest()).check_schema(schema)
    except SchemaError as error:
        raise InputError(_place(FIELD, error.absolute_path), f"{error.message[:300]}") from None
    try:
        _validator(schema_json).is_valid({})
    except _unusable() as error:
        raise InputError(FIELD, f"cannot be used: {str(error)[:300]}") from None


async def read_structured(wb: Workbench, owner: str, pair_id: str) -> Structured:
    """The reply of a pair as JSON, as far as it has come.

    Raises:
        NotFoundError: no such pair of this owner.
        ConflictError: no schema was asked for.
    """
    async with wb.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
    schema_json = pair.parameters.reply_schema
    if schema_json is None:
        raise ConflictError(f"The reply of pair {pair_id!r} was not asked to fit a schema.")
    run = wb.engine.runs.get(pair.run_id or "")
    parts = run.shown.parts if run is not None else (() if pair.reply is None else pair.reply.parts)
    running = pair.lifecycle in RUNNING
    read = await asyncio.to_thread(read_partial, plain_text(parts), final=not running)
    faults = await asyncio.to_thread(find_faults, schema_json, read)
    mends = bool(faults) and not running and not is_repair(plain_text(pair.request.parts))
    repair = write_repair(faults) if mends else None
    return Structured(pair_id, schema_json, running, read.found, read.value, read.open_path, faults, repair)


def find_faults(schema_json: str, read: PartialJson) -> tuple[SchemaFault, ...]:
    """Where a value, whole or as far as it has come, does not fit."""
    found: list[SchemaFault] = []
    if read.fault is not None:
        found.append(SchemaFault(read.open_path or (), read.fault))
    if read.beside and read.found:
        found.append(SchemaFault((), "Words stand beside the JSON."))
    if read.found:
        try:
            found += islice(_validate(schema_json, read), MOST_FAULTS)
        except _unusable() as error:
            found.append(SchemaFault((), f"The schema cannot be used here: {str(error)[:300]}"))
    return tuple(found)


def _validate(schema_json: str, read: PartialJson) -> Iterator[SchemaFault]:
    for error in _validator(schema_json).iter_errors(read.value):
        path = tuple(error.absolute_path)
        if not _is_open(path, read.open_path) or _is_lasting(str(error.validator), error.instance):
            yield SchemaFault(path, str(error.message)[:300])


def _unusable() -> tuple[type[Exception], ...]:
    """What a schema that passed for one may still lead to: nowhere, round in circles, or to a pattern that is none."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - see the module's docstring

    return (Unresolvable, RecursionError, re.error)


def _is_open(path: Path, open_path: Path | None) -> bool:
    return open_path is not None and open_path[: len(path)] == path


def _is_lasting(keyword: str, value: object) -> bool:
    return keyword in _LASTING and not (keyword == "type" and isinstance(value, int | float))


def _place(field: str, path: Iterable[str | int]) -> str:
    return ".".join((field, *map(str, path)))


@lru_cache(maxsize=64)
def _validator(schema_json: str) -> Validator:
    from jsonschema.validators import validator_for  # noqa: PLC0415 - see the module's docstring
    from referencing import Registry  # noqa: PLC0415 - as above

    schema: Mapping[str, Any] = orjson.loads(schema_json)
    return validator_for(schema, default=_newest())(schema, registry=Registry())


def _newest() -> type[Validator]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see the module's docstring

    return Draft202012Validator
