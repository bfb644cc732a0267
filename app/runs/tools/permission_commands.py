"""Commands for permissions: answer a request, list pending requests, list and revoke rules, read the audit trail.

    await answer_permission(ctx, owner, request_id, PermissionChoice.ALLOW, edited={"path": "/notes"})

Not here: making a request and waiting for its answer (`permissions.py`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import InputError
from app.domain.tools.arguments import read_arguments, write_arguments
from app.domain.tools.permission_requests import (
    Ended,
    ExpiryReason,
    PermissionRequest,
    PermissionStatus,
    PersonAllowed,
    PersonDenied,
    SettledError,
)
from app.domain.tools.permissions import ArgumentPattern, PermissionScope, Rule, covers_arguments
from app.runs.app_context import AppContext
from app.runs.engine.permission_broker import audit_rule
from app.runs.runtime.ids import new_id
from app.runs.runtime.shielded import shielded
from app.runs.tools.permissions import claim_request, tell_settled
from app.store.conversation.conversations import load_conversation
from app.store.tools import permissions as stored
from app.store.tools.permissions import StoredRule
from app.tools.mcp.schemas import Problems, check_arguments

MAX_PATTERNS: Final = 64


class PermissionChoice(StrEnum):
    """The answers that a person can give to a permission request."""

    ALLOW = "allow"
    ALLOW_CONVERSATION = "allow_conversation"
    ALWAYS_ALLOW_AGENT = "always_allow_agent"
    ALWAYS_ALLOW = "always_allow"
    DENY = "deny"


_SCOPES: Final = {
    PermissionChoice.ALLOW: PermissionScope.ONCE,
    PermissionChoice.ALLOW_CONVERSATION: PermissionScope.CONVERSATION,
    PermissionChoice.ALWAYS_ALLOW_AGENT: PermissionScope.AGENT,
    PermissionChoice.ALWAYS_ALLOW: PermissionScope.ALWAYS,
}


class WrongArgumentsError(InputError):
    """Error: edited arguments do not match the tool's schema. `problems` are the places and messages of the faults."""

    def __init__(self, problems: Problems) -> None:
        self.problems = tuple((f"arguments.{place}".rstrip("."), words) for place, words in problems)
        place, words = self.problems[0]
        super().__init__(place, words)


@shielded
async def answer_permission(  # noqa: PLR0913 - the request and all parts of an answer
    ctx: AppContext,
    owner: str,
    request_id: str,
    answer: PermissionChoice,
    *,
    edited: dict[str, Any] | None = None,
    only_if: tuple[ArgumentPattern, ...] = (),
) -> PermissionRequest:
    """Answer a permission request, and return the answered request. `edited` replaces the arguments of the call.

    An answer that allows more than this call makes a permission rule. `only_if` limits the rule to calls with matching
    arguments.

    Raises:
        NotFoundError: there is no request with this id.
        SettledError: the request was answered already, or it has expired.
        InputError: the arguments do not match the tool's schema, the rule would not cover this very call, or a rule
            for the agent is requested but no agent makes the call.
    """
    async with ctx.store.read() as session:
        request = await stored.load_request(session, owner, request_id)
    if request.standing is not PermissionStatus.PENDING:
        raise SettledError(request)
    event = _read_answer(request, answer, edited, only_if)
    if edited is not None:
        account = request.conversation_id
        if problems := await check_arguments(request.input_schema_json, edited, account=account):
            raise WrongArgumentsError(problems)
    async with ctx.store.write() as session:
        settled = await claim_request(ctx, session, owner, request_id, event)
        if settled.standing is PermissionStatus.ALLOWED and settled.scope is not PermissionScope.ONCE:
            await _make_rule(ctx, session, owner, settled, only_if)
    tell_settled(ctx, owner, settled)
    if settled.standing is PermissionStatus.EXPIRED:
        raise SettledError(settled)
    return settled


def _read_answer(
    request: PermissionRequest,
    answer: PermissionChoice,
    edited: dict[str, Any] | None,
    only_if: tuple[ArgumentPattern, ...],
) -> PersonAllowed | PersonDenied:
    if answer is PermissionChoice.DENY:
        if edited is not None or only_if:
            raise InputError("answer", "A denied call has no arguments and no rule. Leave them out.")
        return PersonDenied()
    if answer is PermissionChoice.ALWAYS_ALLOW_AGENT and request.agent_id is None:
        raise InputError("answer", "No agent makes this call. Allow it for the conversation, or always.")
    edited_json = None if edited is None else write_arguments(edited)
    if edited_json is not None:
        read_arguments(edited_json)  # refuse arguments that cannot be parsed again or shown
    if only_if:
        _require_rule(answer, only_if, read_arguments(request.input_json) if edited is None else edited)
    return PersonAllowed(_SCOPES[answer], edited_json)


def _require_rule(answer: PermissionChoice, only_if: tuple[ArgumentPattern, ...], arguments: dict[str, Any]) -> None:
    if answer is PermissionChoice.ALLOW:
        raise InputError(
            "only_if", "A call that is allowed once creates no rule. Allow it for the conversation, or always."
        )
    if len(only_if) > MAX_PATTERNS:
        raise InputError("only_if", f"A rule has at most {MAX_PATTERNS} patterns.")
    for each in only_if:
        # This refuses a pattern with an incomplete character (a lone surrogate).
        read_arguments(write_arguments({each.name: each.pattern}))
    if not covers_arguments(only_if, arguments):
        raise InputError("only_if", "These patterns do not match this call. Each argument must match its pattern.")


async def _make_rule(
    ctx: AppContext,
    session: AsyncSession,
    owner: str,
    settled: PermissionRequest,
    only_if: tuple[ArgumentPattern, ...],
) -> None:
    at = ctx.desk.clock()
    rule = Rule(
        id=new_id(),
        server_id=settled.server_id,
        tool_name=settled.tool_name,
        fingerprint=settled.fingerprint,
        arguments=only_if,
        conversation_id=settled.shown_in if settled.scope is PermissionScope.CONVERSATION else None,
        agent_id=settled.agent_id if settled.scope is PermissionScope.AGENT else None,
    )
    kept = StoredRule(rule, settled.server_name, settled.title or settled.tool_name, at)
    await stored.insert_rule(session, owner, kept)
    await audit_rule(session, owner, kept, "permission.rule_made", at, request_id=settled.id)


async def read_request(ctx: AppContext, owner: str, request_id: str) -> PermissionRequest:
    """Read a permission request of any status.

    Raises:
        NotFoundError: there is no request with this id.
    """
    async with ctx.store.read() as session:
        return await stored.load_request(session, owner, request_id)


async def list_pending(ctx: AppContext, owner: str, conversation_id: str) -> tuple[PermissionRequest, ...]:
    """List the pending permission requests of a conversation, oldest first.

    Raises:
        NotFoundError: there is no such conversation.
    """
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        return await stored.list_pending(session, owner, conversation_id)


async def list_rules(ctx: AppContext, owner: str) -> tuple[StoredRule, ...]:
    """List all permission rules, newest first, including those of temporary conversations."""
    found: dict[str, StoredRule] = {}
    for each in _contexts(ctx):
        async with each.store.read() as session:
            found |= {kept.rule.id: kept for kept in await stored.list_rules(session, owner)}
    return tuple(sorted(found.values(), key=lambda kept: (kept.created_at, kept.rule.id), reverse=True))


@shielded
async def revoke_rule(ctx: AppContext, owner: str, rule_id: str) -> StoredRule:
    """Delete a permission rule. Later calls that it would have allowed need permission again. Running calls continue.

    Raises:
        NotFoundError: there is no rule with this id.
    """
    async with ctx.store.write() as session:
        kept = await stored.delete_rule(session, owner, rule_id)
        await audit_rule(session, owner, kept, "permission.rule_revoked", ctx.desk.clock(), by="person")
    return kept


@shielded
async def revoke_rules_of(ctx: AppContext, owner: str, server_id: str) -> int:
    """Revoke all permission rules for a server that was replaced or deleted. Return the number of rules."""
    revoked: set[str] = set()
    for each in _contexts(ctx):
        async with each.store.write() as session:
            for kept in await stored.list_rules(session, owner):
                if kept.rule.server_id == server_id:
                    await stored.delete_rule(session, owner, kept.rule.id)
                    await audit_rule(session, owner, kept, "permission.rule_revoked", ctx.desk.clock(), by="server")
                    revoked.add(kept.rule.id)
    return len(revoked)


@shielded
async def expire_requests_of(ctx: AppContext, owner: str, server_id: str) -> int:
    """Expire all pending permission requests for calls of a server that was replaced or deleted; return how many."""
    return sum([await _expire_requests(each, owner, server_id) for each in _contexts(ctx)])


async def _expire_requests(ctx: AppContext, owner: str, server_id: str) -> int:
    async with ctx.store.write() as session:
        waiting = await stored.list_pending_of_server(session, owner, server_id)
        expired = [await claim_request(ctx, session, owner, one.id, Ended(ExpiryReason.CHANGED)) for one in waiting]
    for request in expired:
        tell_settled(ctx, owner, request)
    return len(expired)


def _contexts(ctx: AppContext) -> tuple[AppContext, ...]:
    return (ctx,) if ctx.temporary.ctx is None else (ctx, ctx.temporary.ctx)
