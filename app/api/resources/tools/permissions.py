"""Routes of permissions: pending requests and their answers, rules, and the audit trail."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.http.patterns import ENTRY_CURSOR
from app.api.resources.conversation.conversations import ConversationId
from app.domain.tools.permissions import ArgumentPattern
from app.runs.tools import permission_commands as commands
from app.runs.tools.permission_commands import MAX_PATTERNS, PermissionChoice
from app.store.tools.audit import AuditEntry
from app.store.tools.permissions import StoredRule
from app.views.tools.permission import (
    AuditEntryView,
    AuditView,
    PermissionsView,
    PermissionView,
    RulesView,
    RuleView,
    describe_permission,
    describe_rule,
)

router = APIRouter(tags=["permissions"], dependencies=[ReadsJson])

RequestId = Annotated[str, Path(max_length=64, description="A permission request.")]
RuleId = Annotated[str, Path(max_length=64, description="A rule.")]
AboutConversation = Annotated[str | None, Query(max_length=64, description="Only what was done in this conversation.")]
AuditCursor = Annotated[str | None, Query(pattern=ENTRY_CURSOR, description="`next_cursor` of the page before.")]
PatternText = Annotated[str, Field(max_length=10_000)]


class PermissionAnswer(Body):
    """The answer to a permission request."""

    answer: PermissionChoice = Field(
        strict=False,
        description="`allow` this once; `allow_conversation` and `always_allow` also make a rule for this very tool, "
        "in this conversation or everywhere. `deny`: the model is told so.",
    )
    arguments: dict[str, Any] | None = Field(
        None, description="It runs with these instead of the model's. They must fit the tool's schema."
    )
    only_if: dict[str, PatternText] | None = Field(
        None,
        max_length=MAX_PATTERNS,
        description="Patterns of arguments, by name: the rule is for such calls alone (`docs/permissions.md`).",
    )

    def patterns(self) -> tuple[ArgumentPattern, ...]:
        return tuple(ArgumentPattern(name, pattern) for name, pattern in (self.only_if or {}).items())


@router.get(
    "/conversations/{conversation_id}/permissions",
    summary="Read which calls wait for a person",
    description="Those of conversations delegated from it, too.",
    responses=says(PermissionsView, "not-found", description="The oldest first."),
)
async def read_pending(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    pending = await commands.list_pending(ctx, owner, conversation_id)
    at = ctx.desk.clock()
    return answer(PermissionsView(tuple(describe_permission(request, at) for request in pending)))


@router.get(
    "/permissions/{request_id}",
    summary="Read a permission request, however it stands",
    responses=says(PermissionView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, request_id: RequestId) -> Response:
    return answer(describe_permission(await commands.read_request(ctx, owner, request_id), ctx.desk.clock()))


@router.post(
    "/permissions/{request_id}",
    summary="Answer a permission request",
    description="The first answer counts; any other, and one that comes too late, is a conflict.",
    dependencies=[HasBody],
    responses=says(PermissionView, *WITH_BODY, "not-found", "conflict", description="The request as it stands now."),
)
async def settle(ctx: Ctx, owner: Owner, request_id: RequestId, body: PermissionAnswer) -> Response:
    settled = await commands.answer_permission(
        ctx, owner, request_id, body.answer, edited=body.arguments, only_if=body.patterns()
    )
    return answer(describe_permission(settled, ctx.desk.clock()))


@router.get(
    "/permission-rules",
    summary="List what is allowed without asking",
    responses=says(RulesView, description="The newest first."),
)
async def read_rules(ctx: Ctx, owner: Owner) -> Response:
    return answer(RulesView(tuple(map(_describe, await commands.list_rules(ctx, owner)))))


@router.delete(
    "/permission-rules/{rule_id}",
    summary="Revoke a rule",
    description="What it allowed needs permission again from now on. A call that is running goes on.",
    responses=says(RuleView, "not-found", description="As it was."),
)
async def revoke(ctx: Ctx, owner: Owner, rule_id: RuleId) -> Response:
    return answer(_describe(await commands.revoke_rule(ctx, owner, rule_id)))


@router.get(
    "/audit",
    summary="Read who did what when",
    description="Every decision about a call, and every rule made or revoked. Entries are never changed or deleted. Of "
    "temporary conversations it has no words.",
    responses=says(AuditView, description="The newest entry first."),
)
async def read_audit(
    ctx: Ctx,
    owner: Owner,
    *,
    conversation_id: AboutConversation = None,
    limit: Annotated[int, Query(ge=1, le=500, description="At most so many entries.")] = 100,
    cursor: AuditCursor = None,
) -> Response:
    before = None if cursor is None else int(cursor)
    found = await commands.read_audit(ctx, owner, limit=limit + 1, before=before, conversation_id=conversation_id)
    items = tuple(_describe_entry(number, entry) for number, entry in found[:limit])
    return answer(AuditView(items, str(items[-1].id) if len(found) > limit else None))


def _describe(kept: StoredRule) -> RuleView:
    return describe_rule(kept.rule, kept.server_name, kept.title, kept.created_at)


def _describe_entry(number: int, entry: AuditEntry) -> AuditEntryView:
    return AuditEntryView(number, entry.at, entry.owner, entry.action, entry.subject, entry.conversation_id, entry.data)
