"""Structured replies: check a reply against the JSON schema of its request, also while it streams.

    structured = await read_structured(ctx, owner, pair_id)
    structured.faults, structured.repair

The check runs in a separate process that can be killed (`app/schema_check`), because a schema may need any amount of
work.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, InputError
from app.domain.structured.partial_json import JsonPath, PartialJson, read_partial
from app.domain.structured.structured_replies import FIELD, SchemaFault, is_repair, read_schema, write_repair
from app.runs.app_context import AppContext
from app.schema_check.checker import BY_HAND, check_schema, check_value
from app.store.conversation import pairs

MAX_FAULTS = 50
MAX_CHARACTERS: Final = 1_000_000
"""Maximum length, in characters, of a reply that is read as JSON. A longer reply is shown as text."""
MAX_ACCEPTED: Final = 64
_accepted: OrderedDict[str, None] = OrderedDict()
"""Schemas that were checked and are valid, newest last."""


@dataclass(frozen=True, slots=True)
class Structured:
    """A reply read as JSON.

    - `running`: the reply is still running.
    - `found`: the start of a JSON value was found.
    - `value`: the value read so far.
    - `faults`: while the reply is running, the faults that further text cannot fix; when it is over, all faults.
    - `repair`: the text that asks the model to fix the faults. None if there are none, if this reply is itself such a
      repair, or if the schema could not be applied.
    """

    pair_id: str
    schema_json: str
    running: bool
    found: bool
    value: Any
    open_path: JsonPath | None
    faults: tuple[SchemaFault, ...]
    repair: str | None


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    """The result of checking a reply: the places where its value does not match the schema.

    `mendable`: a different reply could match the schema.
    """

    faults: tuple[SchemaFault, ...]
    mendable: bool


async def require_schema(schema_json: str, *, account: str = BY_HAND) -> None:
    """Refuse a text that is not a JSON schema, or a schema that cannot be applied.

    `account`: the name, usually the id of a conversation, under which Inview adds up and limits the time of slow
    checks.

    Raises:
        InputError: the schema is not accepted. The error has the place of the fault.
    """
    if schema_json in _accepted:
        _accepted.move_to_end(schema_json)
        return
    read_schema(schema_json)
    checked = await check_schema(schema_json, account=account)
    for path, message in checked.faults:
        raise InputError(_place(FIELD, path), message)
    if checked.unusable is not None:
        raise InputError(FIELD, f"cannot be used: it {checked.unusable}.")
    _accepted[schema_json] = None
    while len(_accepted) > MAX_ACCEPTED:
        _accepted.popitem(last=False)


async def read_structured(ctx: AppContext, owner: str, pair_id: str) -> Structured:
    """Read the reply of a pair as JSON. While the reply runs, read the part received so far.

    Raises:
        NotFoundError: this owner has no such pair.
        ConflictError: the request had no schema, or the stored schema is not JSON.
    """
    async with ctx.store.read() as session:
        pair = await pairs.load_pair(session, owner, pair_id)
    schema_json = pair.parameters.reply_schema
    if schema_json is None:
        raise ConflictError(f"The reply of pair {pair_id!r} has no schema.")
    try:
        read_schema(schema_json)
    except InputError as error:
        raise ConflictError(f"The schema of pair {pair_id!r} {error.reason}") from error
    run = ctx.engine.runs.get(pair.run_id or "")
    parts = run.shown.parts if run is not None else (() if pair.reply is None else pair.reply.parts)
    running = pair.lifecycle in RUNNING
    text = plain_text(parts)
    if len(text) > MAX_CHARACTERS:
        why = (
            f"The reply has {len(text):,} characters. Inview reads at most {MAX_CHARACTERS:,} as JSON. The reply "
            "is kept as text."
        )
        return Structured(
            pair_id=pair_id,
            schema_json=schema_json,
            running=running,
            found=False,
            value=None,
            open_path=None,
            faults=(SchemaFault((), why),),
            repair=None,
        )
    read = await asyncio.to_thread(read_partial, text, final=not running)
    judged = await judge(schema_json, read, account=pair.conversation_id)
    mends = judged.mendable and not running and not is_repair(plain_text(pair.request.parts))
    repair = write_repair(judged.faults) if mends else None
    return Structured(pair_id, schema_json, running, read.found, read.value, read.open_path, judged.faults, repair)


async def judge(schema_json: str, read: PartialJson, *, account: str) -> SchemaCheck:
    """Find the places where a whole or partial value does not match its schema.

    `account`: the name, usually the id of a conversation, under which Inview adds up and limits the time of slow
    checks.
    """
    found: list[SchemaFault] = []
    if read.fault is not None:
        found.append(SchemaFault(read.open_path or (), read.fault))
    if read.has_other_text and read.found:
        found.append(SchemaFault((), "There is text outside the JSON."))
    if not read.found:
        return SchemaCheck(tuple(found), bool(found))
    checked = await check_value(schema_json, read.value, account=account, open_path=read.open_path, limit=MAX_FAULTS)
    found += [SchemaFault(path, message) for path, message in checked.faults]
    if checked.unusable is not None:
        not_checked = SchemaFault((), f"The reply was not checked: its schema {checked.unusable}.")
        return SchemaCheck((*found, not_checked), mendable=False)
    return SchemaCheck(tuple(found), bool(found))


def _place(field: str, path: Iterable[str | int]) -> str:
    return ".".join((field, *map(str, path)))
