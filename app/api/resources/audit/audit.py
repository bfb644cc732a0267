"""The route of the audit trail."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.bodies import Instant
from app.api.http.negotiation import ReadsJson
from app.api.http.patterns import ENTRY_CURSOR
from app.domain.audit import AuditAction
from app.runs.audit.audit import read_audit
from app.store.audit.audit import AuditCriteria, AuditEntry
from app.views.audit.audit import AuditEntryView, AuditView

router = APIRouter(tags=["audit"], dependencies=[ReadsJson])

AboutConversation = Annotated[str | None, Query(max_length=64, description="Only entries of this conversation.")]
OneAction = Annotated[AuditAction | None, Query(description="Only entries with this action.")]
Since = Annotated[Instant | None, Query(description="Only entries from this time on.")]
AuditCursor = Annotated[str | None, Query(pattern=ENTRY_CURSOR, description="The `next_cursor` of the previous page.")]


@router.get(
    "/audit",
    summary="List the audit trail",
    description="Has every opening, read, export, change and deletion of a conversation, every decision about a tool "
    "call, and every rule that was created or revoked. Entries are never changed or deleted. They have no text of "
    "conversations, except the arguments of tool calls.",
    responses=says(AuditView, description="The newest entry first."),
)
async def read(  # noqa: PLR0913 - the filters
    ctx: Ctx,
    owner: Owner,
    *,
    conversation_id: AboutConversation = None,
    action: OneAction = None,
    since: Since = None,
    limit: Annotated[int, Query(ge=1, le=500, description="The maximum number of entries.")] = 100,
    cursor: AuditCursor = None,
) -> Response:
    criteria = AuditCriteria(conversation_id, None if action is None else (action,), since)
    before = None if cursor is None else int(cursor)
    found = await read_audit(ctx.store, owner, limit=limit + 1, before=before, criteria=criteria)
    items = tuple(_describe(number, entry) for number, entry in found[:limit])
    return answer(AuditView(items, str(items[-1].id) if len(found) > limit else None))


def _describe(number: int, entry: AuditEntry) -> AuditEntryView:
    return AuditEntryView(
        number,
        entry.at,
        entry.owner,
        entry.action,
        entry.subject,
        entry.conversation_id,
        entry.data,
        entry.via,
        entry.address,
    )
