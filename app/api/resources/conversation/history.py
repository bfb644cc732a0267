"""Route of the raw history of a conversation: every message exactly as stored, or only messages of some kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.cursors import MAX_LIMIT
from app.api.http.negotiation import ReadsJson
from app.api.http.patterns import NEWER_CURSOR, NO_CURSOR
from app.api.resources.conversation.conversations import ConversationId
from app.domain.conversation.message_kinds import MessageFilter, MessageKind
from app.domain.errors import InputError
from app.runs.conversation.history import read_history
from app.store.conversation.history import HistoryRange
from app.views.conversation.message import MessageView, describe_message

router = APIRouter(prefix="/conversations", tags=["pairs"], dependencies=[ReadsJson])

_AFTER = {False: "after-", True: "after-pair-"}
"""The beginning of a cursor, without and with child conversations."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of messages, oldest first."""

    items: tuple[MessageView, ...]
    next_cursor: str | None


@router.get(
    "/{conversation_id}/history",
    summary="List all stored messages without changes",
    description="Includes signatures and roles that are never sent. `limit` counts pairs with matching messages. "
    "A page has fewer pairs if they exceed 4 MB together.",
    responses=says(HistoryPage, "not-found"),
)
async def read(  # noqa: PLR0913 - the parameters of the query
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    *,
    kind: Annotated[
        list[MessageKind] | None,
        Query(
            max_length=len(MessageKind),
            description="Only messages of this kind: `human` (requests), `assistant` (replies), `tool` (replies with "
            "tool calls). Can be repeated.",
        ),
    ] = None,
    cache_hit: Annotated[
        bool | None,
        Query(
            description="`true`: only replies whose provider read input from its cache. `false`: only replies whose "
            "provider reported that it read none."
        ),
    ] = None,
    children: Annotated[
        bool,
        Query(
            description="Include the messages of child conversations, such as titles, summaries and delegated tasks. "
            "The pairs are then in the order in which they were added."
        ),
    ] = False,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The maximum number of pairs.")] = MAX_LIMIT,
    cursor: Annotated[
        str | None,
        Query(pattern=NEWER_CURSOR, description="The `next_cursor` of the previous page, with the same parameters."),
    ] = None,
) -> Response:
    if cursor is not None and cursor.startswith(_AFTER[True]) is not children:
        raise InputError("cursor", NO_CURSOR)
    beyond = "" if cursor is None else cursor.removeprefix(_AFTER[children])
    wanted = MessageFilter(frozenset(kind or ()), cache_hit)
    part = HistoryRange(wanted, children=children, beyond=beyond)
    history = await read_history(ctx, owner, conversation_id, part, limit=limit)
    messages = tuple(describe_message(one.message, one.pair, one.conversation_kind) for one in history.messages)
    return answer(HistoryPage(messages, _AFTER[children] + history.beyond if history.beyond else None))
