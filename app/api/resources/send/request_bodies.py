"""Routes that download exact bytes as files: a previewed request, the stored request of a failed pair, stored rows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import fails
from app.api.http.negotiation import ANYTHING, offers
from app.api.resources.conversation.conversations import ConversationId
from app.api.resources.conversation.marks import PairId
from app.domain.errors import NotFoundError
from app.store.run.snapshots import load_snapshot
from app.store.transfer.raw_rows import load_raw_conversation, load_raw_rows
from app.views.encode import to_json

router = APIRouter(tags=["sending"], dependencies=[Depends(offers(ANYTHING))])

BodyHash = Annotated[str, Path(max_length=64, description="The SHA-256 of the body, in hex.")]

POLICY = "default-src 'none'; sandbox"
BYTES = {200: {"description": "The bytes.", "content": {ANYTHING: {"schema": {"type": "string"}}}}}


@router.get(
    "/conversations/{conversation_id}/preview/{body_sha256}",
    summary="Download the body of a preview",
    description="The exact bytes that would be sent. Available only for requests that the page previewed a moment ago: "
    "the page links here if a body is too large to show. API clients read `body` of a preview.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
)
async def read_prepared(ctx: Ctx, owner: Owner, conversation_id: ConversationId, body_sha256: BodyHash) -> Response:
    planned = ctx.prepared.find(owner, conversation_id, body_sha256)
    if planned is None:
        raise NotFoundError("previewed request", body_sha256[:12])
    return answer_file(planned.wire.body, f"request-{body_sha256[:12]}.json")


@router.get(
    "/pairs/{pair_id}/snapshot/body",
    summary="Download the stored request body of a failed pair",
    description="The exact bytes that were sent.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
)
async def read_kept(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    async with ctx.store.read() as session:
        kept = await load_snapshot(session, owner, pair_id)
    return answer_file(kept.body, f"request-{pair_id[:12]}.json")


@router.get(
    "/pairs/{pair_id}/raw",
    summary="Download the stored rows of a pair",
    description="Every row of the pair, by table, even if Inview cannot read it. JSON columns have their stored text; "
    "bytes are base64. For a pair with `damage`, before you delete it.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
)
async def read_raw(ctx: Ctx, owner: Owner, pair_id: PairId) -> Response:
    async with ctx.store.read() as session:
        rows = await load_raw_rows(session, owner, pair_id)
    return answer_file(to_json(rows), f"pair-{pair_id[:12]}-raw.json")


@router.get(
    "/conversations/{conversation_id}/raw",
    summary="Download the stored row of a conversation",
    description="The settings without the pairs, even if Inview cannot read them. JSON columns have their stored text; "
    "bytes are base64. For a conversation with `damage`, before you reset a setting.",
    response_class=Response,
    responses=BYTES | fails("not-found"),
)
async def read_raw_conversation(ctx: Ctx, owner: Owner, conversation_id: ConversationId) -> Response:
    async with ctx.store.read() as session:
        rows = await load_raw_conversation(session, owner, conversation_id)
    return answer_file(to_json(rows), f"conversation-{conversation_id[:12]}-raw.json")


def answer_file(data: bytes, name: str) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return Response(data, 200, headers, "application/octet-stream")
