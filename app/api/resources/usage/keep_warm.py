"""Routes of cache keep-alive: start it, read its state, stop it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import ToKeepWarm
from app.api.http.negotiation import HasBody, ReadsJson
from app.api.resources.conversation.conversations import ConversationId
from app.domain.errors import NotFoundError
from app.runs.cache.cache_views import describe_kept
from app.runs.cache.keep_alive import KeepAlive, read_keeping, start_keeping, stop_keeping
from app.views.request.keep_warm import KeepWarmView

router = APIRouter(prefix="/conversations", tags=["sending"], dependencies=[ReadsJson])


@router.put(
    "/{conversation_id}/keep-warm",
    summary="Keep the prompt cache of a conversation warm",
    description="Shortly before the cache expires, Inview reads the cached part of a send with this view again, with a "
    "reply of one token, until the minutes are over. Each read costs `offer.each` of `GET …/cache`, has a "
    "row in the ledger (`keep_warm`) and counts towards budgets. Nothing is added to the conversation. A new "
    "request replaces the previous one. Only available if reading extends the lifetime by the provider's "
    "rules; otherwise 409 gives the reason.",
    dependencies=[HasBody],
    responses=says(KeepWarmView, *WITH_BODY, "not-found", "conflict", "budget-spent"),
)
async def start(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ToKeepWarm) -> Response:
    await start_keeping(ctx, owner, conversation_id, body.options(), body.minutes)
    return answer(describe_kept(await _read(ctx, owner, conversation_id)))


@router.get(
    "/{conversation_id}/keep-warm",
    summary="Read the status of keeping a conversation warm",
    description="Also available after the end, until you stop it or start it again.",
    responses=says(KeepWarmView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_kept(await _read(ctx, owner, conversation_id)))


@router.delete(
    "/{conversation_id}/keep-warm",
    status_code=204,
    summary="Stop keeping a conversation warm",
    description="Also removes the status of a finished one. The ledger keeps the cost.",
    response_class=Response,
    responses={204: {"description": "The conversation is no longer kept warm."}} | fails("not-found"),
)
async def stop(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    await stop_keeping(ctx, owner, conversation_id)
    return Response(status_code=204)


async def _read(ctx: Ctx, owner: Owner, conversation_id: str) -> KeepAlive:
    kept = await read_keeping(ctx, owner, conversation_id)
    if kept is None:
        raise NotFoundError("keeping warm of conversation", conversation_id)
    return kept
