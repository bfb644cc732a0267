"""The pairs of a conversation over HTTP: pages of them, from either end, in either direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from app.api.access import Bench, Owner
from app.api.answers import answer, says
from app.api.conversations import ConversationId
from app.api.cursors import MAX_LIMIT, PairCursor, read_pair_cursor, write_pair_cursor
from app.api.negotiation import JSON, offers
from app.api.patterns import PAIR_CURSOR
from app.domain.conversation import Pair
from app.store.conversations import load_conversation
from app.store.pairs import WINDOW, load_pairs
from app.views.pair import PairView, describe_pair

router = APIRouter(prefix="/conversations", tags=["pairs"], dependencies=[Depends(offers(JSON))])

Start = Literal["newest", "oldest"]


@dataclass(frozen=True, slots=True)
class PairPage:
    """Some pairs, oldest first whichever way one pages. The cursors lead on: the same way, and back."""

    items: tuple[PairView, ...]
    next_cursor: str | None
    previous_cursor: str | None


@router.get(
    "/{conversation_id}/pairs",
    summary="Page through the pairs",
    description="Begins with the newest pairs, or with the oldest if `start=oldest`; `next_cursor` leads away from "
    "there, `previous_cursor` back. A cursor knows its direction: `start` is for the first page alone.",
    responses=says(PairPage, "not-found"),
)
async def list_them(  # noqa: PLR0913 - FastAPI takes each parameter of the query as one of ours
    bench: Bench,
    owner: Owner,
    conversation_id: ConversationId,
    *,
    start: Annotated[Start, Query(description="The end to begin at.")] = "newest",
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")] = WINDOW,
    cursor: Annotated[str | None, Query(pattern=PAIR_CURSOR, description="A cursor of another page.")] = None,
) -> Response:
    place = _first_place(start) if cursor is None else read_pair_cursor(cursor)
    async with bench.store.read() as session:
        await load_conversation(session, owner, conversation_id)
        found = await load_pairs(
            session,
            owner,
            conversation_id,
            before_position=place.position if place.side == "before" and place.position else None,
            after_position=place.position if place.side == "after" else None,
            limit=limit + 1,
        )
    return answer(_make_page(found, place, limit))


def _first_place(start: Start) -> PairCursor:
    # Position 0 is before all pairs; "before 0" stands for the end, where no position is known yet.
    return PairCursor("before" if start == "newest" else "after", 0)


def _make_page(found: tuple[Pair, ...], place: PairCursor, limit: int) -> PairPage:
    """One pair more than a page was asked for: whether it is there says whether there is another page."""
    more = len(found) > limit
    if place.side == "before":
        items = found[-limit:]
        next_cursor = write_pair_cursor("before", items[0].position) if more else None
        back = write_pair_cursor("after", items[-1].position) if items and place.position else None
    else:
        items = found[:limit]
        next_cursor = write_pair_cursor("after", items[-1].position) if more else None
        back = write_pair_cursor("before", items[0].position) if items and place.position else None
    return PairPage(tuple(map(describe_pair, items)), next_cursor, back)
