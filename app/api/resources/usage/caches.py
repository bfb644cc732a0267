"""Route of prompt caches: the cached part of a conversation, and the results of predictions."""

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
    summary="See what the provider keeps of a conversation",
    description="What a send in this look would read of the provider's prompt cache, for how long that is kept, and "
    "what the look would break of it and at which price; then the newest calls, each prediction beside the provider's "
    "report. Worked out from the calls of this installation by the vendor's public rules: nothing is asked.",
    responses=says(CacheStateView, "not-found", "conflict"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId, options: ViewOptionsQuery) -> Response:
    kept = await read_keeping(ctx, owner, conversation_id)
    return answer(describe_cache_state(await look_at_cache(ctx, owner, conversation_id, options), kept))
