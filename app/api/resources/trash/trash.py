"""Routes of the trash: list its entries, restore them, delete them permanently."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, fails, says
from app.api.http.cursors import MAX_LIMIT, read_conversation_cursor, write_conversation_cursor
from app.api.http.negotiation import ReadsJson
from app.api.http.patterns import CONVERSATION_CURSOR
from app.api.resources.conversation.conversations import ConversationId
from app.runs.app_context import AppContext
from app.runs.trash import trash
from app.store.conversation.lists import Cursor
from app.store.trash.trash import TrashEntry, TrashPlace
from app.views.conversation.conversation import cut_snippet
from app.views.trash.trash import TrashEntryView

router = APIRouter(tags=["trash"], dependencies=[ReadsJson])

EntryId = Annotated[str, Path(max_length=64, description="An entry of the trash, or one of its pairs.")]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="The maximum number of entries.")]
Place = Annotated[str | None, Query(pattern=CONVERSATION_CURSOR, description="The `next_cursor` of the previous page.")]


@dataclass(frozen=True, slots=True)
class TrashPage:
    """A page of the trash, newest first. `days`: how long each entry is kept; null: until the trash is emptied."""

    items: tuple[TrashEntryView, ...]
    days: int | None
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class RestoredView:
    """The restored conversation, or the number of restored pairs."""

    kind: str
    conversation_id: str
    count: int


@dataclass(frozen=True, slots=True)
class EmptiedView:
    """The number of entries that were deleted permanently."""

    count: int


@router.get("/trash", summary="List the trash", responses=says(TrashPage, description="The newest first."))
async def list_all(ctx: Ctx, owner: Owner, *, limit: Limit = 50, cursor: Place = None) -> Response:
    return await _list(ctx, owner, limit, cursor)


@router.get(
    "/conversations/{conversation_id}/trash",
    summary="List the pairs that were deleted from a conversation",
    responses=says(
        TrashPage,
        "not-found",
        description="Ordered by time of deletion, newest first. Pairs that were deleted together form one entry.",
    ),
)
async def list_pairs(
    ctx: Ctx, owner: Owner, conversation_id: ConversationId, *, limit: Limit = 50, cursor: Place = None
) -> Response:
    return await _list(ctx, owner, limit, cursor, conversation_id)


@router.post(
    "/trash/{entry_id}/restore",
    summary="Restore a conversation or pairs from the trash",
    responses=says(RestoredView, "not-found", "conflict", description="Restored."),
)
async def restore(ctx: Ctx, owner: Owner, entry_id: EntryId) -> Response:
    entry = await trash.restore(ctx, owner, entry_id)
    return answer(RestoredView(entry.kind, entry.conversation_id, entry.count))


@router.delete(
    "/trash/{entry_id}",
    summary="Delete an entry of the trash permanently",
    description="It cannot be restored. The ledger keeps the usage of its calls.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found"),
)
async def delete(ctx: Ctx, owner: Owner, entry_id: EntryId) -> Response:
    await trash.delete_for_good(ctx, owner, entry_id)
    return Response(status_code=204)


@router.delete(
    "/trash",
    summary="Empty the trash",
    description="Deletes all entries permanently. The ledger keeps the usage of their calls.",
    responses=says(EmptiedView, description="Empty."),
)
async def empty(ctx: Ctx, owner: Owner) -> Response:
    return answer(EmptiedView(await trash.empty_trash(ctx, owner)))


async def _list(
    ctx: AppContext, owner: str, limit: int, cursor: str | None, conversation_id: str | None = None
) -> Response:
    place = None
    if cursor is not None:
        read = read_conversation_cursor(cursor)
        place = TrashPlace(read.updated_at, read.conversation_id)
    found = await trash.list_trash(ctx, owner, limit=limit + 1, place=place, conversation_id=conversation_id)
    entries = found.entries[:limit]
    last = entries[-1] if len(found.entries) > limit else None
    following = None if last is None else write_conversation_cursor(Cursor(last.deleted_at, last.id))
    return answer(TrashPage(tuple(_describe(entry, found.days) for entry in entries), found.days, following))


def _describe(entry: TrashEntry, days: int | None) -> TrashEntryView:
    return TrashEntryView(
        id=entry.id,
        kind=entry.kind,
        conversation_id=entry.conversation_id,
        title=entry.title,
        snippet=cut_snippet(entry.words),
        count=entry.count,
        deleted_at=entry.deleted_at,
        expires_at=None if days is None else entry.deleted_at + timedelta(days=days),
    )
