"""Permission for a tool call: decide it, or request it from a person and wait for the answer.

    permission = await ask_permission(ctx, run, tool, call, agent=None)
    if isinstance(permission, Allowed): ...        # call the tool with exactly permission.input_json

Requests are stored: a reloaded page, another tab or a program finds them, and the first answer counts. Each decision is
stored and added to the audit trail in one transaction.

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
from app.domain.run.run import Canceled
from app.domain.tools.arguments import read_arguments
from app.domain.tools.permission_requests import (
    ANSWER_TIME,
    Allowed,
    Denied,
    Ended,
    Event,
    ExpiryReason,
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
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.engine.permission_broker import audit_call, audit_request, publish
from app.runs.runtime.ids import new_id
from app.runs.runtime.shielded import shielded
from app.store.tools import permissions as stored

LOOK_SECONDS: Final = 1.0
"""Seconds between two reads of a pending request, in case another process settled it."""


# --- asking ---


async def ask_permission(
    ctx: AppContext, run: LiveRun, tool: Tool, call: ToolCall, *, agent: Agent | None
) -> Allowed | Denied:
    """Decide whether a tool call may be made, and with which arguments. Wait for a person if the rules require it.

    `agent` is the agent that makes the call, with the values from the start of the run; None: no agent.
    Cancelling this coroutine withdraws the request.

    Raises:
        StoreError: the store cannot be read or written. Then the tool must not be called.
    """
    try:
        arguments = read_arguments(call.input_json)
    except InputError as error:
        return Denied(f"The input of this call cannot be used. {error.reason}")
    request = _describe(ctx, run, tool, call, agent)
    allowed = None if agent is None else agent.allowed_tools
    try:
        decided = await _begin(ctx, run, request, arguments, allowed)
        return await _wait(ctx, run, request, arguments, allowed) if decided is None else decided
    except asyncio.CancelledError:
        ending = ExpiryReason.STOPPED if isinstance(run.state.outcome, Canceled) else ExpiryReason.INTERRUPTED
        with suppress(SettledError, StoreError):
            await _settle(ctx, run.place.owner, request.id, Ended(ending))
        raise


def _describe(ctx: AppContext, run: LiveRun, tool: Tool, call: ToolCall, agent: Agent | None) -> PermissionRequest:
    at, place = ctx.desk.clock(), run.place
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
        agent_name=None if agent is None else agent.name,
    )


@shielded
async def _begin(
    ctx: AppContext,
    run: LiveRun,
    request: PermissionRequest,
    arguments: dict[str, Any],
    allowed: tuple[AllowedTool, ...] | None,
) -> Allowed | Denied | None:
    """Decide by the rules whether the call may be made. Return None if a person must answer.

    The rules are read and the decision or the request is stored in one transaction.
    """
    owner = run.place.owner
    async with ctx.store.write() as session:
        request = replace(request, shown_in=await stored.find_root(session, request.conversation_id))
        rules = await stored.load_rules(session, owner, request.shown_in)
        match decide(_query_of(request, arguments), allowed, rules):
            case Allow(by, rule_id):
                details = {"by": by} | ({} if rule_id is None else {"rule_id": rule_id})
                await audit_call(session, owner, request, "permission.allowed", request.asked_at, **details)
                return Allowed(request.input_json)
            case Refuse(reason):
                await audit_call(session, owner, request, "permission.refused", request.asked_at, by="agent")
                return Denied(reason)
            case Ask():
                await stored.insert_request(session, owner, request)
                await audit_request(session, owner, request, request.asked_at)
    for watched in {run, *ctx.engine.runs_of(request.shown_in)}:
        watched.ask(request)
    publish(ctx.event_bus, owner, request)
    return None


async def _wait(
    ctx: AppContext,
    run: LiveRun,
    request: PermissionRequest,
    arguments: dict[str, Any],
    allowed: tuple[AllowedTool, ...] | None,
) -> Allowed | Denied:
    owner = run.place.owner
    while True:
        changed = ctx.desk.changed  # taken before the request is read: a change after the read sets this event
        request, rules = await _look(ctx, owner, request.id)
        if (permission := permission_of(request)) is not None:
            _forget(ctx, request)
            return permission
        decision = decide(_query_of(request, arguments), allowed, rules)
        left = (request.expires_at - ctx.desk.clock()).total_seconds()
        with suppress(SettledError, TimeoutError):
            if left <= 0:
                await _settle(ctx, owner, request.id, Ended(ExpiryReason.TIME))
            elif isinstance(decision, Allow) and decision.rule_id is not None:
                await _settle_by_rule(ctx, owner, request.id, decision.rule_id)
            else:
                async with asyncio.timeout(min(left, LOOK_SECONDS)):
                    await changed.wait()


async def _look(ctx: AppContext, owner: str, request_id: str) -> tuple[PermissionRequest, tuple[Rule, ...]]:
    async with ctx.store.read() as session:
        request = await stored.load_request(session, owner, request_id)
        return request, await stored.load_rules(session, owner, request.shown_in)


def _query_of(request: PermissionRequest, arguments: dict[str, Any]) -> PermissionQuery:
    return PermissionQuery(
        request.server_id, request.tool_name, request.fingerprint, arguments, request.shown_in, request.agent_id
    )


# --- settling ---


@shielded
async def _settle(ctx: AppContext, owner: str, request_id: str, event: Event) -> None:
    async with ctx.store.write() as session:
        settled = await claim_request(ctx, session, owner, request_id, event)
    tell_settled(ctx, owner, settled)


@shielded
async def _settle_by_rule(ctx: AppContext, owner: str, request_id: str, rule_id: str) -> None:
    async with ctx.store.write() as session:
        request = await stored.load_request(session, owner, request_id)
        standing = await stored.load_rules(session, owner, request.shown_in)
        if rule_id not in {rule.id for rule in standing}:
            return  # the rule was revoked after `decide` had read it
        settled = await claim_request(ctx, session, owner, request_id, RuleCovered(rule_id))
    tell_settled(ctx, owner, settled)


async def claim_request(
    ctx: AppContext, session: AsyncSession, owner: str, request_id: str, event: Event
) -> PermissionRequest:
    """Settle a pending permission request with this event, such as an answer, and add an entry to the audit trail.

    Return the settled request. The caller publishes it after the commit.

    Raises:
        SettledError: the request was settled already.
    """
    at = ctx.desk.clock()
    settled = settle(await stored.load_request(session, owner, request_id), event, at)
    if not await stored.settle_request(session, owner, settled):
        raise SettledError(await stored.load_request(session, owner, request_id))
    await audit_request(session, owner, settled, at)
    return settled


def tell_settled(ctx: AppContext, owner: str, settled: PermissionRequest) -> None:
    """Wake the runs that wait for this permission request, and publish the settled request to subscribers."""
    _forget(ctx, settled)
    ctx.desk.notify()
    publish(ctx.event_bus, owner, settled)


def _forget(ctx: AppContext, settled: PermissionRequest) -> None:
    for run in ctx.engine.runs.values():
        run.asking.pop(settled.id, None)
