"""The permission broker: the clock of permission requests, the signal to waiting calls, and the audit of each decision.

A waiting call reads the store, which alone knows the status of a request. `notify` makes it read at once.

Not here: requesting and answering a permission (`runs/tools/permissions.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.audit import AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.tools.permission_requests import Ended, Ending, PermissionRequest, SettledError, Standing, settle
from app.domain.tools.permissions import Rule, scope_of
from app.runs.caller import actor_for
from app.runs.process.event_bus import EventBus, PermissionsChanged
from app.runs.process.ids import now
from app.store.audit.entries import insert_entry
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store
from app.store.tools.permissions import StoredRule, list_abandoned, load_request, settle_request

MAX_AUDITED: Final = 20_000
"""Characters of arguments that the audit trail keeps; of longer ones also the SHA-256 of the whole."""

log = structlog.get_logger()


def steady_clock() -> Callable[[], datetime]:
    """A clock that begins at what time it is and then runs evenly, whatever becomes of the machine's own."""
    at, began = now(), time.monotonic()
    return lambda: at + timedelta(seconds=time.monotonic() - began)


@dataclass(eq=False)
class PermissionBroker:
    """Where calls wait for permission. `changed` is set at the next word of any, and then is another event."""

    clock: Callable[[], datetime] = field(default_factory=steady_clock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        """Let all who wait look again."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


async def expire_abandoned(store: Store, event_bus: EventBus) -> int:
    """Expire the requests of runs that have ended: their process died, and no task waits for the answer."""
    async with store.read() as session:
        abandoned = await list_abandoned(session)
    return sum([await _expire(store, event_bus, owner, request.id) for owner, request in abandoned])


async def _expire(store: Store, event_bus: EventBus, owner: str, request_id: str) -> bool:
    at = now()
    async with store.write() as session:
        request = await load_request(session, owner, request_id)
        try:
            settled = settle(request, Ended(Ending.INTERRUPTED), at)
        except SettledError:
            return False
        await settle_request(session, owner, settled)
        await audit_request(session, owner, settled, at)
    publish(event_bus, owner, settled)
    log.warning("a call that waited for permission was given up: its reply was cut off", request_id=request_id)
    return True


def publish(event_bus: EventBus, owner: str, request: PermissionRequest) -> None:
    """Publish the request to watchers of the conversation, and of the one it is shown in."""
    for conversation_id in {request.shown_in, request.conversation_id}:
        event_bus.publish(owner, conversation_id, PermissionsChanged())


# --- the audit trail ---


async def audit_request(session: AsyncSession, owner: str, request: PermissionRequest, at: datetime) -> None:
    """Write down that something was asked, or how that was settled."""
    action = "asked" if request.standing is Standing.PENDING else request.standing.value
    by = {"scope": request.scope, "rule_id": request.rule_id, "why": request.ending}
    said = {name: value for name, value in by.items() if value is not None}
    if request.standing in {Standing.ALLOWED, Standing.DENIED}:
        said["by"] = "person" if request.rule_id is None else "rule"
    await audit_call(session, owner, request, AuditAction(f"permission.{action}"), at, **said)


async def audit_call(
    session: AsyncSession, owner: str, request: PermissionRequest, action: AuditAction, at: datetime, **said: Any
) -> None:
    """Write down a decision about a call. Of a temporary conversation none of its words is written."""
    temporary = select(CONVERSATION.c.temporary).where(CONVERSATION.c.id == request.conversation_id)
    data: dict[str, Any] = {
        "server_id": request.server_id,
        "server": request.server_name,
        "tool": request.tool_name,
        "run_id": request.run_id,
        "tool_call_id": request.tool_call_id,
        **_agent_of(request.agent_id, request.agent),
        **said,
    }
    if not (await session.execute(temporary)).scalar_one_or_none():
        data |= _written("input", request.input_json)
        if request.run_json is not None and request.run_json != request.input_json:
            data |= _written("edited", request.run_json)
    actor = actor_for(owner)
    await insert_entry(
        session, AuditEntry(at, actor, action, ObjectKind.PERMISSION, request.id, request.shown_in, data)
    )


async def audit_rule(
    session: AsyncSession, owner: str, kept: StoredRule, action: AuditAction, at: datetime, **said: Any
) -> None:
    """Write down that a rule was made or revoked."""
    rule: Rule = kept.rule
    data: dict[str, Any] = {
        "server_id": rule.server_id,
        "server": kept.server_name,
        "tool": rule.tool_name,
        "scope": scope_of(rule),
        "arguments": {each.name: each.pattern for each in rule.arguments},
        **_agent_of(rule.agent_id, kept.agent),
        **said,
    }
    actor = actor_for(owner)
    await insert_entry(session, AuditEntry(at, actor, action, ObjectKind.RULE, rule.id, rule.conversation_id, data))


def _agent_of(agent_id: str | None, name: str) -> dict[str, str]:
    return {} if agent_id is None else {"agent_id": agent_id, "agent": name}


def _written(name: str, text: str) -> dict[str, str]:
    if len(text) <= MAX_AUDITED:
        return {name: text}
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {name: text[:MAX_AUDITED], f"{name}_sha256": digest}
