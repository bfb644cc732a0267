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
    summary="Keep warm what the provider keeps of a conversation",
    description="Shortly before it would be gone, what a send in this look would read is read again, with one token of "
    "reply, until the minutes are over: each time at the price that `GET …/cache` tells as `offer.each`. Each is a row "
    "in the ledger (`keep_warm`) and subject to budgets; nothing is added to what is sent. Asking again replaces what "
    "was asked for. Only where the provider's rules say that reading prolongs, else 409 says why not.",
    dependencies=[HasBody],
    responses=says(KeepWarmView, *WITH_BODY, "not-found", "conflict", "budget-spent"),
)
async def start(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body: ToKeepWarm) -> Response:
    await start_keeping(ctx, owner, conversation_id, body.options(), body.minutes)
    return answer(describe_kept(await _read(ctx, owner, conversation_id)))


@router.get(
    "/{conversation_id}/keep-warm",
    summary="See how keeping a conversation warm goes",
    description="Also when it is over, until somebody stops it or asks for it again.",
    responses=says(KeepWarmView, "not-found"),
)
async def read(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    return answer(describe_kept(await _read(ctx, owner, conversation_id)))


@router.delete(
    "/{conversation_id}/keep-warm",
    status_code=204,
    summary="Stop keeping a conversation warm",
    description="Or forget that it was. What it cost stays in the ledger.",
    response_class=Response,
    responses={204: {"description": "It is kept warm no longer."}} | fails("not-found"),
)
async def stop(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    await stop_keeping(ctx, owner, conversation_id)
    return Response(status_code=204)


async def _read(ctx: Ctx, owner: Owner, conversation_id: str) -> KeepAlive:
    kept = await read_keeping(ctx, owner, conversation_id)
    if kept is None:
        raise NotFoundError("keeping warm of conversation", conversation_id)
    return kept
