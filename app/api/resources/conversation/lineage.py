"""Route of lineage: the child conversations and forks of a conversation, and its parent."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.runs.conversation.lineage import read_lineage
from app.views.conversation.lineage import LineageView

router = APIRouter(prefix="/conversations", tags=["lineage"], dependencies=[ReadsJson])


@router.get(
    "/{conversation_id}/lineage",
    summary="List the child conversations, forks and parent of a conversation",
    description="The newest 200 forks, titles, summaries, compared replies and delegated tasks, each with its status.",
    responses=says(LineageView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(await read_lineage(ctx, owner, conversation_id))
