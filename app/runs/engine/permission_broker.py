"""The permission broker: wakes tool calls that wait for permission, and writes decisions to the audit trail.

A waiting call reads the status of its request from the store. `PermissionBroker.notify` makes it read again at once.

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

from app.domain.tools.permission_requests import (
    Ended,
    ExpiryReason,
    PermissionRequest,
    PermissionStatus,
    SettledError,
    settle,
)
from app.domain.tools.permissions import Rule
from app.runs.audit.audit import make_entry
from app.runs.runtime.event_bus import EventBus, PermissionsChanged
from app.runs.runtime.ids import now
from app.store.audit.audit import insert_entries
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store
from app.store.tools.permissions import StoredRule, list_abandoned, load_request, settle_request

MAX_AUDITED: Final = 20_000
"""Maximum number of characters of the arguments in the audit trail.

Longer arguments are cut, and their SHA-256 is added.
"""

log = structlog.get_logger()


def steady_clock() -> Callable[[], datetime]:
    """Return a clock that starts at the current time and then runs steadily, even if the machine's time is set."""
    at, began = now(), time.monotonic()
    return lambda: at + timedelta(seconds=time.monotonic() - began)


@dataclass(eq=False)
class PermissionBroker:
    """The permission broker of an app context, which wakes the tool calls that wait for permission.

    The calls wait for the event `changed`. Each decision sets this event and replaces it by a new one.
    """

    clock: Callable[[], datetime] = field(default_factory=steady_clock)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        """Make all waiting tool calls read their permission requests again."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()


async def expire_abandoned(store: Store, event_bus: EventBus) -> int:
    """Expire the pending permission requests of runs whose process died. Return the number of these requests.

    The runs are over, so no tool call waits for these requests any more.
    """
    async with store.read() as session:
        abandoned = await list_abandoned(session)
    return sum([await _expire(store, event_bus, owner, request.id) for owner, request in abandoned])


async def _expire(store: Store, event_bus: EventBus, owner: str, request_id: str) -> bool:
    at = now()
    async with store.write() as session:
        request = await load_request(session, owner, request_id)
        try:
            settled = settle(request, Ended(ExpiryReason.INTERRUPTED), at)
        except SettledError:
            return False
        await settle_request(session, owner, settled)
        await audit_request(session, owner, settled, at)
    publish(event_bus, owner, settled)
    log.warning("a call that waited for permission was cancelled: its reply was interrupted", request_id=request_id)
    return True


def publish(event_bus: EventBus, owner: str, request: PermissionRequest) -> None:
    """Publish the change of a permission request in its conversation and in the conversation that shows the request."""
    for conversation_id in {request.shown_in, request.conversation_id}:
        event_bus.publish(owner, conversation_id, PermissionsChanged())


# --- the audit trail ---


async def audit_request(session: AsyncSession, owner: str, request: PermissionRequest, at: datetime) -> None:
    """Add an entry to the audit trail: a new permission request, or the decision about a request."""
    action = "asked" if request.standing is PermissionStatus.PENDING else request.standing.value
    by = {"scope": request.scope, "rule_id": request.rule_id, "why": request.ending}
    details = {name: value for name, value in by.items() if value is not None}
    if request.standing in {PermissionStatus.ALLOWED, PermissionStatus.DENIED}:
        details["by"] = "person" if request.rule_id is None else "rule"
    await audit_call(session, owner, request, f"permission.{action}", at, **details)


async def audit_call(
    session: AsyncSession, owner: str, request: PermissionRequest, action: str, at: datetime, **details: Any
) -> None:
    """Add an entry about a tool call to the audit trail, without its arguments if the conversation is temporary."""
    data: dict[str, Any] = {
        "server_id": request.server_id,
        "server": request.server_name,
        "tool": request.tool_name,
        "run_id": request.run_id,
        "tool_call_id": request.tool_call_id,
        **details,
    }
    if not await _is_temporary(session, request.conversation_id):
        data |= _written("input", request.input_json)
        if request.run_json is not None and request.run_json != request.input_json:
            data |= _written("edited", request.run_json)
    await insert_entries(session, [make_entry(owner, at, action, request.id, request.shown_in, data)])


async def audit_rule(
    session: AsyncSession, owner: str, kept: StoredRule, action: str, at: datetime, **details: Any
) -> None:
    """Add an entry to the audit trail: a permission rule was made or revoked.

    The entry of a rule for a temporary conversation is without the patterns, which may be texts of that conversation.
    """
    rule: Rule = kept.rule
    data: dict[str, Any] = {
        "server_id": rule.server_id,
        "server": kept.server_name,
        "tool": rule.tool_name,
        "scope": rule.scope,
        **({} if rule.agent_id is None else {"agent_id": rule.agent_id}),
        **details,
    }
    if rule.conversation_id is None or not await _is_temporary(session, rule.conversation_id):
        data["arguments"] = {each.name: each.pattern for each in rule.arguments}
    await insert_entries(session, [make_entry(owner, at, action, rule.id, rule.conversation_id, data)])


async def _is_temporary(session: AsyncSession, conversation_id: str) -> bool:
    query = select(CONVERSATION.c.temporary).where(CONVERSATION.c.id == conversation_id)
    return bool((await session.execute(query)).scalar_one_or_none())


def _written(name: str, text: str) -> dict[str, str]:
    if len(text) <= MAX_AUDITED:
        return {name: text}
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {name: text[:MAX_AUDITED], f"{name}_sha256": digest}
