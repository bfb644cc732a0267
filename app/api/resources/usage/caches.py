"""Route of prompt caches: the cached part of a conversation, and earlier predictions with the provider's reports."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.negotiation import ReadsJson
from app.api.http.view_options import ViewOptionsQuery
from app.api.resources.conversation.conversations import ConversationId
from app.runs.cache.cache_state import look_at_cache
from app.runs.cache.cache_views import describe_cache_state
from app.runs.cache.keep_alive import read_keeping
from app.views.request.cache import CacheStateView

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[ReadsJson])


@router.get(
    "/{conversation_id}/cache",
    summary="Read the state of the provider's prompt cache",
    description="How much of the provider's prompt cache a send with this view would read, how long that is "
    "cached, and what the view would invalidate at which price. Also the newest calls, each with the "
    "prediction and the provider's report. Computed from the calls of this installation and the provider's "
    "public rules; the provider is not called.",
    responses=says(CacheStateView, "not-found", "conflict"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId, options: ViewOptionsQuery) -> Response:
    kept = await read_keeping(ctx, owner, conversation_id)
    return answer(describe_cache_state(await look_at_cache(ctx, owner, conversation_id, options), kept))
