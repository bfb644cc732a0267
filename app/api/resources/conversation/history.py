"""Route of the raw history of a conversation: every message exactly as stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.cursors import MAX_LIMIT, PairCursor, read_pair_cursor, write_pair_cursor
from app.api.http.negotiation import ReadsJson
from app.api.http.patterns import NEWER_CURSOR
from app.api.resources.conversation.conversations import ConversationId
from app.domain.conversation.page_bytes import count_fitting
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pair_bytes import load_bytes_beside
from app.store.conversation.pairs import load_pairs
from app.views.conversation.message import MessageView, describe_pair_messages

router = APIRouter(prefix="/conversations", tags=["pairs"], dependencies=[ReadsJson])


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of messages, oldest first."""

    items: tuple[MessageView, ...]
    next_cursor: str | None


@router.get(
    "/{conversation_id}/history",
    summary="List all stored messages without changes",
    description="Includes signatures and roles that are never sent. A page holds whole pairs; `limit` counts pairs. A "
    "page has fewer pairs if they exceed 4 MB together.",
    responses=says(HistoryPage, "not-found"),
)
async def read(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    *,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The maximum number of pairs.")] = MAX_LIMIT,
    cursor: Annotated[
        str | None, Query(pattern=NEWER_CURSOR, description="The `next_cursor` of the previous page.")
    ] = None,
) -> Response:
    place = PairCursor("after", 0) if cursor is None else read_pair_cursor(cursor)
    async with ctx.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        found = await load_bytes_beside(session, owner, conversation_id, after_position=place.position, limit=limit + 1)
        fitting = count_fitting(pair.size for pair in found[:limit])
        pairs = await load_pairs(session, owner, conversation_id, after_position=place.position, limit=fitting)
    messages = tuple(message for pair in pairs for message in describe_pair_messages(pair))
    on = write_pair_cursor("after", pairs[-1].position) if len(found) > fitting else None
    return answer(HistoryPage(messages, on))
