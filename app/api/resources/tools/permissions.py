"""Routes of permissions: pending requests and their answers, and rules."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, says
from app.api.http.bodies import Body
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.domain.tools.permissions import ArgumentPattern
from app.runs.tools import permission_commands as commands
from app.runs.tools.permission_commands import MAX_PATTERNS, PermissionChoice
from app.store.tools.permissions import StoredRule
from app.views.tools.permission import (
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
PatternText = Annotated[str, Field(max_length=10_000)]


class PermissionAnswer(Body):
    """The answer to a permission request."""

    answer: PermissionChoice = Field(
        strict=False,
        description="`allow`: only this call. `allow_conversation`, `always_allow_agent` and `always_allow` also "
        "create a rule for this tool: in this conversation, for the agent that makes the call, or always. `deny`: the "
        "call is not made, and the model gets that as the result.",
    )
    arguments: dict[str, Any] | None = Field(
        None, description="The arguments to use instead of the model's. They must match the tool's schema."
    )
    only_if: dict[str, PatternText] | None = Field(
        None,
        max_length=MAX_PATTERNS,
        description=(
            "Patterns of arguments, by name. The rule applies only to calls that match them (`docs/permissions.md`)."
        ),
    )

    def patterns(self) -> tuple[ArgumentPattern, ...]:
        return tuple(ArgumentPattern(name, pattern) for name, pattern in (self.only_if or {}).items())


@router.get(
    "/conversations/{conversation_id}/permissions",
    summary="List the calls that wait for permission",
    description="Includes calls of delegated conversations.",
    responses=says(PermissionsView, "not-found", description="The oldest first."),
)
async def read_pending(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    pending = await commands.list_pending(ctx, owner, conversation_id)
    at = ctx.desk.clock()
    return answer(PermissionsView(tuple(describe_permission(request, at) for request in pending)))


@router.get(
    "/permissions/{request_id}",
    summary="Read a permission request",
    responses=says(PermissionView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, request_id: RequestId) -> Response:
    return answer(describe_permission(await commands.read_request(ctx, owner, request_id), ctx.desk.clock()))


@router.post(
    "/permissions/{request_id}",
    summary="Answer a permission request",
    description="Only the first answer counts. A later answer is a conflict.",
    dependencies=[HasBody],
    responses=says(PermissionView, *WITH_BODY, "not-found", "conflict", description="The updated request."),
)
async def settle(ctx: Ctx, owner: Owner, request_id: RequestId, body: PermissionAnswer) -> Response:
    settled = await commands.answer_permission(
        ctx, owner, request_id, body.answer, edited=body.arguments, only_if=body.patterns()
    )
    return answer(describe_permission(settled, ctx.desk.clock()))


@router.get(
    "/permission-rules",
    summary="List the permission rules",
    responses=says(RulesView, description="The newest first."),
)
async def read_rules(ctx: Ctx, owner: Owner) -> Response:
    return answer(RulesView(tuple(map(_describe, await commands.list_rules(ctx, owner)))))


@router.delete(
    "/permission-rules/{rule_id}",
    summary="Revoke a rule",
    description="Calls that the rule allowed need permission again. A running call continues.",
    responses=says(RuleView, "not-found", description="The revoked rule."),
)
async def revoke(ctx: Ctx, owner: Owner, rule_id: RuleId) -> Response:
    return answer(_describe(await commands.revoke_rule(ctx, owner, rule_id)))


def _describe(kept: StoredRule) -> RuleView:
    return describe_rule(kept.rule, kept.server_name, kept.title, kept.created_at)
