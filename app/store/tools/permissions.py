"""Queries of permissions: requests that wait for the user's answer, and the rules that the user made.

Only one caller can settle a request: `settle_request` returns `False` to all later ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Table, and_, delete, exists, insert, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.damage import Damage
from app.domain.errors import NotFoundError
from app.domain.tools.permission_requests import ExpiryReason, PermissionRequest, PermissionStatus
from app.domain.tools.permissions import ArgumentPattern, PermissionScope, Rule
from app.store.conversation.rows import CONVERSATION, RUN
from app.store.database.damage import UNKNOWN_TIME, Reading, a_list, a_text, read_rows, require_row
from app.store.database.mapping import decode_word
from app.store.database.row_names import show_id
from app.store.run.runs import STATUS_RUNNING
from app.store.tools.rows_permissions import CONVERSATION_RULE, IS_PENDING, PERMISSION_REQUEST, PERMISSION_RULE

UNREADABLE_RULE = "(This permission cannot be read. It allows nothing: revoke it.)"


@dataclass(frozen=True, slots=True)
class StoredRule:
    """A rule that the user made, with the displayed names of its server and its tool.

    A rule with `damage` allows nothing and can be revoked.
    """

    rule: Rule
    server_name: str
    title: str
    created_at: datetime
    damage: tuple[Damage, ...] = ()


# --- requests ---


async def insert_request(session: AsyncSession, owner: str, request: PermissionRequest) -> None:
    await session.execute(insert(PERMISSION_REQUEST), asdict(request) | {"owner": owner})


async def load_request(session: AsyncSession, owner: str, request_id: str) -> PermissionRequest:
    """Return a permission request.

    Raises:
        NotFoundError: this owner has no request with that id.
        DamagedRowError: it cannot be read, so the allowed call is unknown.
    """
    table = PERMISSION_REQUEST.c
    query = select(PERMISSION_REQUEST).where(table.id == request_id, table.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("permission request", request_id)
    return require_row(PERMISSION_REQUEST, row, _decode)


async def list_pending(session: AsyncSession, owner: str, conversation_id: str) -> tuple[PermissionRequest, ...]:
    """Return the pending permission requests of a conversation and of tasks delegated from it, oldest first."""
    table = PERMISSION_REQUEST.c
    here = or_(table.shown_in == conversation_id, table.conversation_id == conversation_id)
    query = select(PERMISSION_REQUEST).where(text(IS_PENDING), table.owner == owner, here)
    rows = (await session.execute(query.order_by(table.asked_at, table.id))).mappings()
    return read_rows(PERMISSION_REQUEST, rows, _decode)


async def list_pending_of_server(session: AsyncSession, owner: str, server_id: str) -> tuple[PermissionRequest, ...]:
    """Return the pending permission requests for the tools of this server."""
    table = PERMISSION_REQUEST.c
    query = select(PERMISSION_REQUEST).where(text(IS_PENDING), table.owner == owner, table.server_id == server_id)
    return read_rows(PERMISSION_REQUEST, (await session.execute(query)).mappings(), _decode)


async def list_abandoned(session: AsyncSession) -> tuple[tuple[str, PermissionRequest], ...]:
    """Return the pending permission requests whose run is not running, because its process died.

    Each is returned with its owner.
    """
    table = PERMISSION_REQUEST.c
    running = exists().where(and_(RUN.c.id == table.run_id, RUN.c.status == STATUS_RUNNING))
    query = select(PERMISSION_REQUEST).where(text(IS_PENDING), ~running)
    rows = (await session.execute(query)).mappings()
    return read_rows(PERMISSION_REQUEST, rows, lambda row: (row["owner"], _decode(row)))


async def settle_request(session: AsyncSession, owner: str, settled: PermissionRequest) -> bool:
    """Store the answer to a permission request, or that it expired. Return False if it was settled already."""
    table = PERMISSION_REQUEST.c
    names = ("standing", "run_json", "scope", "rule_id", "ending", "settled_at")
    statement = update(PERMISSION_REQUEST).where(
        table.id == settled.id, table.owner == owner, table.standing == PermissionStatus.PENDING
    )
    values = {name: getattr(settled, name) for name in names}
    return (await session.execute(statement.values(values).returning(table.id))).one_or_none() is not None


async def find_root(session: AsyncSession, conversation_id: str) -> str:
    """Return the id of the conversation or, if it is a child conversation, of its topmost parent."""
    table = CONVERSATION.c
    seen = {conversation_id}
    while True:
        query = select(table.parent_id).where(table.id == conversation_id, table.kind == "tool")
        parent = (await session.execute(query)).scalar_one_or_none()
        if parent is None or parent in seen:
            return conversation_id
        conversation_id = parent
        seen.add(parent)


# --- rules ---


async def load_rules(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Rule, ...]:
    """Return the permission rules that apply in a conversation, without damaged ones."""
    return tuple(kept.rule for kept in await list_rules(session, owner, conversation_id) if not kept.damage)


async def list_rules(session: AsyncSession, owner: str, conversation_id: str | None = None) -> tuple[StoredRule, ...]:
    """Return all permission rules, newest first. `conversation_id`: only the rules that apply in this conversation."""
    everywhere = select(PERMISSION_RULE).where(PERMISSION_RULE.c.owner == owner)
    here = select(CONVERSATION_RULE).where(CONVERSATION_RULE.c.owner == owner)
    if conversation_id is not None:
        here = here.where(CONVERSATION_RULE.c.conversation_id == conversation_id)
    rules = [
        _read_rule(table, row)
        for table, query in ((PERMISSION_RULE, everywhere), (CONVERSATION_RULE, here))
        for row in (await session.execute(query)).mappings()
        if isinstance(row["id"], str)
    ]
    return tuple(sorted(rules, key=lambda kept: (kept.created_at, kept.rule.id), reverse=True))


async def insert_rule(session: AsyncSession, owner: str, kept: StoredRule) -> None:
    rule = kept.rule
    values: dict[str, Any] = {
        "id": rule.id,
        "owner": owner,
        "server_id": rule.server_id,
        "server_name": kept.server_name,
        "tool_name": rule.tool_name,
        "title": kept.title,
        "fingerprint": rule.fingerprint,
        "arguments": [[each.name, each.pattern] for each in rule.arguments],
        "created_at": kept.created_at,
    }
    if rule.conversation_id is None:
        statement = insert(PERMISSION_RULE).values(agent_id=rule.agent_id)
    else:
        statement = insert(CONVERSATION_RULE).values(conversation_id=rule.conversation_id)
    await session.execute(statement.values(values))


async def delete_rule(session: AsyncSession, owner: str, rule_id: str) -> StoredRule:
    """Revoke a permission rule and return it.

    Raises:
        NotFoundError: this owner has no rule with that id.
    """
    for table in (PERMISSION_RULE, CONVERSATION_RULE):
        statement = delete(table).where(table.c.id == rule_id, table.c.owner == owner).returning(table)
        row = (await session.execute(statement)).mappings().one_or_none()
        if row is not None:
            return _read_rule(table, row)
    raise NotFoundError("permission rule", rule_id)


def _decode(row: Mapping[Any, Any]) -> PermissionRequest:
    columns: dict[str, Any] = {str(name): value for name, value in row.items() if name != "owner"}
    columns["standing"] = decode_word(PermissionStatus, row["standing"])
    columns["scope"] = None if row["scope"] is None else decode_word(PermissionScope, row["scope"])
    columns["ending"] = None if row["ending"] is None else decode_word(ExpiryReason, row["ending"])
    return PermissionRequest(**columns)


def _read_rule(table: Table, row: Mapping[Any, Any]) -> StoredRule:
    """Decode a rule. A damaged rule keeps only its id."""
    reading = Reading(table.name, show_id(row["id"]))
    unknown = StoredRule(Rule(row["id"], "", "", ""), "", UNREADABLE_RULE, UNKNOWN_TIME)
    kept = reading.take_row(table, row, _decode_rule, unknown)
    return replace(kept, damage=tuple(reading.damage)) if reading.damage else kept


def _decode_rule(row: Mapping[Any, Any]) -> StoredRule:
    rule = Rule(
        id=row["id"],
        server_id=row["server_id"],
        tool_name=row["tool_name"],
        fingerprint=row["fingerprint"],
        arguments=decode_patterns(row["arguments"]),
        conversation_id=row.get("conversation_id"),
        agent_id=row.get("agent_id"),
    )
    return StoredRule(rule, row["server_name"], row["title"], row["created_at"])


def decode_patterns(stored: Any) -> tuple[ArgumentPattern, ...]:
    """Decode the patterns of arguments of a permission rule."""
    return tuple(ArgumentPattern(a_text(name), a_text(pattern)) for name, pattern in a_list(stored))
