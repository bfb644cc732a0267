"""Route of the tools of a conversation: which tools would be sent, and why.

The answer also says how much of the provider's cache another inclusion mode would invalidate.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.api.http.view_options import ViewOptionsQuery
from app.api.resources.conversation.conversations import ConversationId
from app.runs.tools.next_tools import look_at_tools
from app.runs.tools.tool_views import describe_seen_tools
from app.views.tools.tools import ConversationToolsView

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[ReadsJson])

MAX_DRAFT = 4_000

Draft = Annotated[
    str,
    Query(max_length=MAX_DRAFT, description="The text of the draft, or its beginning. `auto` chooses tools by it."),
]


@router.get(
    "/{conversation_id}/tools",
    summary="List the tools that a send would offer to the model",
    description="Every available tool, with its size in tokens, whether it would be sent and why. Also the tools that "
    "each mode would send, and how much of the provider's prompt cache that would invalidate. To change it, "
    "`PATCH` the conversation's `tool_mode` and `ticked_tools`.",
    responses=says(ConversationToolsView, "not-found", "conflict"),
)
async def read(
    ctx: Ctx, owner: Owner, conversation_id: ConversationId, options: ViewOptionsQuery, text: Draft = ""
) -> Response:
    return answer(describe_seen_tools(await look_at_tools(ctx, owner, conversation_id, options, text)))
