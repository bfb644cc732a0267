"""Pairs of all conversations over HTTP: those that a filter selects, and the pair that a copy was taken from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from app.api.http.access import Bench, Owner
from app.api.http.answers import answer, says
from app.api.http.bodies import FilterLine, Instant, ZoneName
from app.api.http.cursors import MAX_LIMIT, read_conversation_cursor, write_conversation_cursor
from app.api.http.negotiation import JSON, offers
from app.api.http.patterns import CONVERSATION_CURSOR
from app.domain.conversation.conversation import Pair
from app.runs.filters.across import FoundPairs, find_pairs, read_source
from app.runs.send.context_selection import UTC_ZONE
from app.store.conversation.conversations import Cursor
from app.store.index.owner_pairs import PairPlace
from app.views.pair import PairFacts, PairView, describe_pair

router = APIRouter(prefix="/pairs", tags=["pairs"], dependencies=[Depends(offers(JSON))])


@dataclass(frozen=True, slots=True)
class FoundPairView:
    """A pair, and what its conversation is called ("": it has no title)."""

    conversation_title: str
    pair: PairView


@dataclass(frozen=True, slots=True)
class FoundPairPage:
    """Pairs that a filter selects, newest first. `sentence` says the filter in plain words.

    A page of a filter that few pairs meet may have fewer than `limit`, or none: `next_cursor` null alone is the end.
    """

    items: tuple[FoundPairView, ...]
    sentence: str
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class SourceView:
    """Which pair, in which version, a copy was taken from. It may have been changed or deleted since."""

    conversation_id: str
    pair_id: str
    version: int
    copied_at: datetime


@router.get(
    "",
    summary="Find pairs in all conversations by a filter",
    description="The filter is that of a conversation, without what is relative to one: `r`, `o`, `tN`, `u`, and a "
    "bare `t`, `m` or `a`. What is in the trash is not found, nor temporary conversations and derived ones.",
    responses=says(FoundPairPage, description="The newest first."),
)
async def list_found(  # noqa: PLR0913 - FastAPI takes each parameter of the query as one of ours
    bench: Bench,
    owner: Owner,
    *,
    filter: Annotated[FilterLine, Query(description="Empty: all pairs.")] = "",  # noqa: A002 - the noun's own name
    zone: Annotated[ZoneName, Query()] = UTC_ZONE,
    as_of: Annotated[Instant | None, Query(description="When ages are read. Without it, now.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")] = 50,
    cursor: Annotated[str | None, Query(pattern=CONVERSATION_CURSOR, description="A `next_cursor`.")] = None,
) -> Response:
    began = None if cursor is None else read_conversation_cursor(cursor)
    place = None if began is None else PairPlace(began.updated_at, began.conversation_id)
    found = await find_pairs(bench, owner, filter, limit=limit, place=place, zone=zone, as_of=as_of)
    items = tuple(
        FoundPairView(
            found.titles.get(pair.conversation_id, ""),
            describe_pair(pair, PairFacts(topic=_name_topic(found, pair))),
        )
        for pair in found.pairs
    )
    after = found.next_place
    next_cursor = None if after is None else write_conversation_cursor(Cursor(after.created_at, after.pair_id))
    return answer(FoundPairPage(items, found.sentence, next_cursor))


@router.get(
    "/{pair_id}/source",
    summary="Read which pair a pair was copied from",
    responses=says(SourceView, "not-found"),
)
async def show_source(
    bench: Bench, owner: Owner, pair_id: Annotated[str, Path(max_length=64, description="A pair.")]
) -> Response:
    source = await read_source(bench, owner, pair_id)
    return answer(SourceView(source.conversation_id, source.pair_id, source.version, source.copied_at))


def _name_topic(found: FoundPairs, pair: Pair) -> str | None:
    known = pair.topic is not None and pair.topic in found.topics.paths
    return found.topics.path_text(pair.topic) if known and pair.topic is not None else None
