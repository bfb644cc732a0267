"""What of one row cannot be read: the types of its columns, and what the functions that read it say of its values.

examine(MESSAGE, row)       # (Damage("message", "m1", "parts", …),)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Table

from app.domain.conversation.conversation import Mark, Role
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import StoreError
from app.domain.tools.tool_records import CallFault
from app.store.conversation.nodes import read_accounting
from app.store.database.damage import Reading, a_list, a_model
from app.store.database.mapping import (
    decode_conversation,
    decode_failure,
    decode_parameters,
    decode_replaced,
    decode_retry,
    decode_round,
    decode_stop_reason,
    decode_usage,
    decode_word,
    read_message,
)
from app.store.database.parts_json import decode_parts
from app.store.run.runs import STATUS_RUNNING

Values = Mapping[Any, Any]
Read = Callable[[Any], object]

NAMES: Final = MappingProxyType({"version": ("pair_id", "number"), "tool_call": ("run_id", "number")})
"""The columns that name a row of these tables, as `Reading` has them elsewhere."""
OUR_IDS: Final = frozenset({"id", "docid", "pair_id", "run_id", "round", "conversation_id", "vocabulary"})
"""Columns of primary keys that no person writes. A row with another one is named by its number."""
MAX_ID: Final = 80


def examine(table: Table, row: Values) -> list[Damage]:
    """List the values of this row that cannot be read."""
    reading = Reading(table.name, name_row(table, row))
    reading.check_types(table, row)
    noted = {one.column for one in reading.damage}
    for column, read in _READ_COLUMNS.get(table.name, {}).items():
        if column not in noted:
            reading.take(column, row[column], read, None)
    others = _READ_ROWS.get(table.name, _read_nothing)(row)
    return reading.damage + [
        Damage(one.table, reading.row_id, one.column, one.reason, one.size)
        for one in others
        if one.column.partition("[")[0] not in noted
    ]


def name_row(table: Table, row: Values) -> str:
    """Return a name for a row: its id, or its number if its key has words of the user."""
    key = NAMES.get(table.name) or tuple(column.name for column in table.primary_key if column.name != "owner")
    if "rowid" in row and not OUR_IDS.issuperset(key) and table.name not in NAMES:
        return f"number {row['rowid']}"
    return " ".join(show_id(row[name]) for name in key)


def show_id(stored: Any) -> str:
    """An id as it may be shown: one that cannot be an id may be anything."""
    shown = str(stored)
    can_be_shown = isinstance(stored, str | int) and len(shown) <= MAX_ID and shown.isprintable()
    return shown if can_be_shown else "(its id cannot be read)"


# --- values of the domain ---


def _read_status(stored: str) -> object:
    return stored if stored == STATUS_RUNNING else decode_word(Lifecycle, stored)


def _each(read: Read, stored: Any) -> object:
    return [read(one) for one in a_list(stored)]


def _or_none(read: Read, stored: Any) -> object:
    return None if stored is None else read(stored)


def _read_two(stored: Any) -> object:
    first, second = stored
    return first, second


_PARAMETERS: Final[Mapping[str, Read]] = MappingProxyType({"parameters": decode_parameters})
_READ_COLUMNS: Final[Mapping[str, Mapping[str, Read]]] = MappingProxyType(
    {
        "pair": {
            "model": a_model,
            "parameters": decode_parameters,
            "lifecycle": partial(decode_word, Lifecycle),
            "mark": partial(_or_none, partial(decode_word, Mark)),
        },
        "version": {
            "model": a_model,
            "parameters": decode_parameters,
            "lifecycle": partial(_or_none, partial(decode_word, Lifecycle)),
        },
        "run": {
            "status": _read_status,
            "retries": partial(_each, decode_retry),
            "usage": decode_usage,
            "stop_reason": decode_stop_reason,
            "failure": decode_failure,
            "sent": partial(_or_none, partial(_each, _read_two)),
            "rounds": partial(_each, decode_round),
            "redacted": decode_replaced,
        },
        "snapshot": {"headers": partial(_each, _read_two)},
        "node": {"role": partial(decode_word, Role)},
        "tool_call": {
            "fault": partial(_or_none, partial(decode_word, CallFault)),
            "content": partial(_or_none, decode_parts),
        },
        "agent": _PARAMETERS,
        "queued": _PARAMETERS,
        "comparison": _PARAMETERS,
    }
)


def _read_nothing(_row: Values) -> Iterable[Damage]:
    return ()


def _read_message(row: Values) -> Iterable[Damage]:
    _, damage = read_message(row["id"], row["role"] or "", row["parts"], row["created_at"], expected=Role.USER)
    return damage


def _read_node(row: Values) -> Iterable[Damage]:
    return read_accounting(row).damage if row["role"] == Role.ACCOUNTING else ()


def _read_attachment(row: Values) -> Iterable[Damage]:
    reading = Reading("attachment", "")
    reading.take("data", row["data"], partial(_require_bytes, row["id"], row["size"]), None)
    return reading.damage


def _require_bytes(attachment_id: Any, size: Any, data: bytes) -> None:
    if isinstance(size, int) and len(data) < size:
        raise StoreError(f"it has {len(data):,} of {size:,} bytes")
    if sha256(data).hexdigest() != attachment_id:
        raise StoreError("its bytes are not those that were stored")


_READ_ROWS: Final[Mapping[str, Callable[[Values], Iterable[Damage]]]] = MappingProxyType(
    {
        "conversation": lambda row: decode_conversation(row).damage,
        "message": _read_message,
        "node": _read_node,
        "attachment": _read_attachment,
    }
)
