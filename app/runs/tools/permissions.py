"""Permission for a call of a tool: decide, and where a person must decide, request it and wait.

    permission = await ask_permission(wb, run, tool, call, agent=None)
    if isinstance(permission, Allowed): ...        # call it with exactly permission.input_json

Requests are stored: a reloaded page, another tab or a program finds them, and the first answer counts. Every decision
is written to the audit trail in the same transaction.

Not here: the rules of the decision (`domain/tools/permissions.py`), answers and stored rules
(`permission_commands.py`), and the call itself (`tool_calls.py`).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent
from app.domain.conversation.parts import ToolCall
from app.domain.errors import InputError, StoreError
from app.domain.people.audit_actions import AuditAction
from app.domain.run.state import Canceled
from app.domain.tools.arguments import read_arguments
from app.domain.tools.permission_requests import (
    ANSWER_TIME,
    Allowed,
    Denied,
    Ended,
    Ending,
    Event,
    PermissionRequest,
    RuleCovered,
    SettledError,
    permission_of,
    settle,
)
from app.domain.tools.permissions import (
    Allow,
    AllowedTool,
    Ask,
    PermissionQuery,
    Refuse,
    Rule,
    decide,
    fingerprint,
)
from app.domain.tools.tools import Tool
from app.runs.engine.live import LiveRun
from app.runs.engine.permission_broker import audit_call, audit_request, publish
from app.runs.process.ids import new_id
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.tools import permissions as stored

LOOK_SECONDS: Final = 1.0
"""Whoever waits looks again after so long, should another process have settled it."""


# --- asking ---


async def ask_permission(
    wb: Workbench, run: LiveRun, tool: Tool, call: ToolCall, *, agent: Agent | None
) -> Allowed | Denied:
    """Whether a call may be made, and with which arguments; waits for a person where one must be asked.

    `agent` is who calls, as the run began (None: no agent). Cancelling gives the request up.

    Raises:
        StoreError: nothing can be read or written: then nothing may be called either.
    """
    try:
        arguments = read_arguments(call.input_json)
    except InputError as error:
        return Denied(f"The input of this call cannot be used. {error.reason}")
    request = _describe(wb, run, tool, call, agent)
    allowed = None if agent is None else agent.allowed_tools
    try:
        decided = await _begin(wb, run, request, arguments, allowed)
        return await _wait(wb, run, request, arguments, allowed) if decided is None else decided
    except asyncio.CancelledError:
        ending = Ending.STOPPED if isinstance(run.state.outcome, Canceled) else Ending.INTERRUPTED
        with suppress(SettledError, StoreError):
            await _settle(wb, run.place.owner, request.id, Ended(ending))
        raise


def _describe(wb: Workbench, run: LiveRun, tool: Tool, call: ToolCall, agent: Agent | None) -> PermissionRequest:
    at, place = wb.permission_broker.clock(), run.place
    return PermissionRequest(
        id=new_id(),
        conversation_id=place.conversation_id,
        shown_in=place.conversation_id,
        run_id=run.run_id,
        pair_id=place.pair_id,
        tool_call_id=call.tool_call_id,
        server_id=tool.server_id,
        server_name=tool.server_name,
        tool_name=tool.tool_name,
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema_json=tool.input_schema_json,
        fingerprint=fingerprint(tool),
        input_json=call.input_json,
        asked_at=at,
        expires_at=at + ANSWER_TIME,
        agent_id=None if agent is None else agent.id,
        agent="" if agent is None else agent.name,
    )


@shielded
async def _begin(
    wb: Workbench,
    run: LiveRun,
    request: PermissionRequest,
    arguments: dict[str, Any],
    allowed: tuple[AllowedTool, ...] | None,
) -> Allowed | Denied | None:
    """Decide; None: a person was asked. The decision and the rules it came from are of one moment."""
    owner = run.place.owner
    async with wb.store.write() as session:
        request = replace(request, shown_in=await stored.find_root(session, request.conversation_id))
        rules = await stored.load_rules(session, owner, request.shown_in)
        match decide(_asked(request, arguments), allowed, rules):
            case Allow(by, rule_id):
                said = {"by": by} | ({} if rule_id is None else {"rule_id": rule_id})
                await audit_call(session, owner, request, AuditAction.PERMISSION_ALLOWED, request.asked_at, **said)
                return Allowed(request.input_json)
            case Refuse(reason):
                await audit_call(session, owner, request, AuditAction.PERMISSION_REFUSED, request.asked_at, by="agent")
                return Denied(reason)
            case Ask():
                await stored.insert_request(session, owner, request)
                await audit_request(session, owner, request, request.asked_at)
    for watched in {run, *wb.engine.runs_of(request.shown_in)}:
        watched.ask(request)
    publish(wb.event_bus, owner, request)
    return None


async def _wait(
    wb: Workbench,
    run: LiveRun,
    request: PermissionRequest,
    arguments: dict[str, Any],
    allowed: tuple[AllowedTool, ...] | None,
) -> Allowed | Denied:
    owner = run.place.owner
    while True:
        changed = wb.permission_broker.changed  # taken before looking: what is said after that wakes us
        request, rules = await _look(wb, owner, request.id)
        if (permission := permission_of(request)) is not None:
            _forget(wb, request)
            return permission
        decision = decide(_asked(request, arguments), allowed, rules)
        left = (request.expires_at - wb.permission_broker.clock()).total_seconds()
        with suppress(SettledError, TimeoutError):
            if left <= 0:
                await _settle(wb, owner, request.id, Ended(Ending.TIME))
            elif isinstance(decision, Allow) and decision.rule_id is not None:
                await _settle_by_rule(wb, owner, request.id, decision.rule_id)
            else:
                async with asyncio.timeout(min(left, LOOK_SECONDS)):
                    await changed.wait()


async def _look(wb: Workbench, owner: str, request_id: str) -> tuple[PermissionRequest, tuple[Rule, ...]]:
    async with wb.store.read() as session:
        request = await stored.load_request(session, owner, request_id)
        return request, await stored.load_rules(session, owner, request.shown_in)


def _asked(request: PermissionRequest, arguments: dict[str, Any]) -> PermissionQuery:
    return PermissionQuery(
        request.server_id, request.tool_name, request.fingerprint, arguments, request.shown_in, request.agent_id
    )


# --- settling ---


@shielded
async def _settle(wb: Workbench, owner: str, request_id: str, event: Event) -> None:
    async with wb.store.write() as session:
        settled = await claim_request(wb, session, owner, request_id, event)
    tell_settled(wb, owner, settled)


@shielded
async def _settle_by_rule(wb: Workbench, owner: str, request_id: str, rule_id: str) -> None:
    async with wb.store.write() as session:
        request = await stored.load_request(session, owner, request_id)
        standing = await stored.load_rules(session, owner, request.shown_in)
        if rule_id not in {rule.id for rule in standing}:
            return  # revoked a moment ago
        settled = await claim_request(wb, session, owner, request_id, RuleCovered(rule_id))
    tell_settled(wb, owner, settled)


async def claim_request(
    wb: Workbench, session: AsyncSession, owner: str, request_id: str, event: Event
) -> PermissionRequest:
    """Settle an open request, and store that. The caller publishes it after the commit.

    Raises:
        SettledError: it was settled before.
    """
    at = wb.permission_broker.clock()
    settled = settle(await stored.load_request(session, owner, request_id), event, at)
    if not await stored.settle_request(session, owner, settled):
        raise SettledError(await stored.load_request(session, owner, request_id))
    await audit_request(session, owner, settled, at)
    return settled


def tell_settled(wb: Workbench, owner: str, settled: PermissionRequest) -> None:
    """Publish the answer to the waiting call and to watchers."""
    _forget(wb, settled)
    wb.permission_broker.notify()
    publish(wb.event_bus, owner, settled)


def _forget(wb: Workbench, settled: PermissionRequest) -> None:
    for run in wb.engine.runs.values():
        run.asking.pop(settled.id, None)
