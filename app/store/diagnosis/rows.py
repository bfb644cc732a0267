"""Examines one row: the types of its columns, and whether the functions that decode its values accept them.

examine(MESSAGE, row)       # (Damage("message", "m1", "parts", …),)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import date
from decimal import Decimal
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Table

from app.domain.attachments.uploads import UploadKind
from app.domain.conversation.conversation import Mark, Role
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.budgets import BudgetPeriod, BudgetScope
from app.domain.errors import ErrorClass, StoreError
from app.domain.models.model_profile import Prices
from app.domain.request.sent_pieces import ROLES, check_text
from app.domain.run.queue import HoldReason
from app.domain.settings.preferences import OverBudget
from app.domain.tools.permission_requests import ExpiryReason, PermissionStatus
from app.domain.tools.permissions import PermissionScope
from app.domain.tools.tool_records import CallFault
from app.store.agents.agents import decode_allowed_tools, decode_servers
from app.store.audit.audit import an_object
from app.store.cache.keep_warm import require_options
from app.store.cache.prompt_caches import decode_marks
from app.store.compare.comparisons import decode_run
from app.store.conversation.nodes import read_accounting
from app.store.database.damage import Reading, a_list, a_model, a_model_or_none, a_text
from app.store.database.mapping import (
    a_metadata,
    decode_conversation,
    decode_failure,
    decode_parameters,
    decode_replaced,
    decode_retry,
    decode_round,
    decode_stars,
    decode_stop_reason,
    decode_usage,
    decode_word,
    read_message,
)
from app.store.database.parts_json import decode_parts
from app.store.database.row_names import name_row
from app.store.filters.filters import require_filter
from app.store.ledger.ledger import decode_purpose
from app.store.ledger.sent_calls import decode_pieces
from app.store.run.journal import decode_growth
from app.store.run.runs import STATUS_RUNNING
from app.store.run.toolsets import decode_tools
from app.store.settings.preferences import require_preference
from app.store.tools.mcp_servers import decode_listing, decode_way
from app.store.tools.permissions import decode_patterns

Values = Mapping[Any, Any]
Read = Callable[[Any], object]


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


_READ_COLUMNS: Final[Mapping[str, Mapping[str, Read]]] = MappingProxyType(
    {
        "pair": {
            "model": a_model,
            "stars": decode_stars,
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
            "model": a_model,
            "purpose": decode_purpose,
        },
        "snapshot": {"headers": partial(_each, _read_two)},
        "node": {"role": partial(decode_word, Role)},
        "tool_call": {
            "fault": partial(_or_none, partial(decode_word, CallFault)),
            "content": partial(_or_none, decode_parts),
        },
        "folder": {"metadata_json": a_metadata},
        "agent": {
            "model": a_model_or_none,
            "parameters": decode_parameters,
            "server_ids": decode_servers,
            "allowed_tools": decode_allowed_tools,
        },
        "queued": {
            "model": a_model_or_none,
            "parameters": decode_parameters,
            "over_budget": partial(_or_none, partial(decode_word, OverBudget)),
            "attached": decode_parts,
        },
        "queue_hold": {"reason": partial(decode_word, HoldReason)},
        "comparison": {
            "parameters": decode_parameters,
            "runs": partial(_each, decode_run),
            "gone": partial(_each, a_text),
        },
        "mcp_server": {
            "way": decode_way,
            "secret_names": partial(_each, a_text),
            "known": partial(_or_none, decode_listing),
        },
        "budget": {
            "scope": partial(decode_word, BudgetScope),
            "period": partial(decode_word, BudgetPeriod),
            "amount": Decimal,
            "warn_at": Decimal,
        },
        "price": {"since": date.fromisoformat} | {kind.name: partial(_or_none, Decimal) for kind in fields(Prices)},
        "permission_request": {
            "standing": partial(decode_word, PermissionStatus),
            "scope": partial(_or_none, partial(decode_word, PermissionScope)),
            "ending": partial(_or_none, partial(decode_word, ExpiryReason)),
        },
        "permission_rule": {"arguments": decode_patterns},
        "conversation_rule": {"arguments": decode_patterns},
        "saved_filter": {"filter": require_filter},
        "applied_filter": {"filter": require_filter},
        "audit": {"data": an_object},
        "keep_warm": {"look": require_options},
        "prompt_cache": {"marks": decode_marks},
        "toolset": {"tools": decode_tools},
        "reply_journal": {"growth": decode_growth},
        "sent_call": {"pieces": decode_pieces},
        "upload": {"kind": partial(decode_word, UploadKind)},
        "ledger": {
            "model": a_model,
            "outcome": partial(decode_word, Lifecycle),
            "error_class": partial(_or_none, partial(decode_word, ErrorClass)),
            "purpose": decode_purpose,
        },
        "usage_day": {"day": date.fromisoformat},
        "usage_account": {"day": date.fromisoformat},
        "pair_text": {"tools": partial(_each, a_text)},
        "pair_size": {"images": partial(_each, _read_two)},
    }
)


def _read_nothing(_row: Values) -> Iterable[Damage]:
    return ()


def _read_message(row: Values) -> Iterable[Damage]:
    values = (row["parts"], row["created_at"], row["metadata_json"])
    _, damage = read_message(row["id"], row["role"] or "", *values, expected=Role.USER)
    return damage


def _read_node(row: Values) -> Iterable[Damage]:
    return read_accounting(row).damage if row["role"] == Role.ACCOUNTING else ()


def _read_attachment(row: Values) -> Iterable[Damage]:
    reading = Reading("attachment", "")
    reading.take("data", row["data"], partial(_require_bytes, row["id"], row["size"]), None)
    return reading.damage


def _read_preference(row: Values) -> Iterable[Damage]:
    reading = Reading("preference", "")
    reading.take("value", row["value"], partial(require_preference, row["name"]), None)
    return reading.damage


def _read_sent_text(row: Values) -> Iterable[Damage]:
    reading = Reading("sent_text", "")
    reading.take("text", row["text"], partial(_require_sent_text, row["role"], row["hash"]), None)
    return reading.damage


def _require_sent_text(role: Any, expected: Any, text: str) -> None:
    if role not in ROLES or sha256(text.encode()).hexdigest() != expected:
        raise StoreError("its bytes are not those that were stored")
    check_text(role, text)


def _require_bytes(attachment_id: Any, size: Any, data: bytes) -> None:
    if isinstance(size, int) and len(data) < size:
        raise StoreError(f"it has {len(data):,} of {size:,} bytes")
    if sha256(data).hexdigest() != attachment_id:
        raise StoreError("its bytes are not those that were stored")


_READ_ROWS: Final[Mapping[str, Callable[[Values], Iterable[Damage]]]] = MappingProxyType(
    {
        "conversation": lambda row: decode_conversation(row).damage,
        "preference": _read_preference,
        "message": _read_message,
        "node": _read_node,
        "attachment": _read_attachment,
        "sent_text": _read_sent_text,
    }
)
