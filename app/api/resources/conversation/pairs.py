"""Route of the pairs in view of a conversation, in pages. The answer also says which of all pairs would be sent."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import answer, says
from app.api.http.bodies import AttachmentId
from app.api.http.cursors import MAX_LIMIT, PairCursor, read_pair_cursor, write_pair_cursor
from app.api.http.negotiation import ReadsJson
from app.api.http.patterns import PAIR_CURSOR
from app.api.http.view_options import ViewOptionsQuery
from app.api.resources.conversation.conversations import ConversationId
from app.domain.attachments.uploads import MAX_ATTACHED
from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.conversation.page_bytes import count_fitting
from app.runs.app_context import current
from app.runs.attachments.uploads import load_attached
from app.runs.send.composition import compose_view
from app.runs.watch.facts import show_pairs
from app.store.conversation.pair_bytes import load_pair_bytes
from app.store.conversation.pairs import WINDOW, load_pairs_by_id
from app.views.conversation.pair import PairView, describe_pair
from app.views.request.composition import EstimateView, boundary_of, describe_estimate

router = APIRouter(prefix="/conversations", tags=["pairs"], dependencies=[ReadsJson])

Start = Literal["newest", "oldest"]


class PairsQuery(BaseModel):
    """The query of a page of pairs: the draft of the send, and where the page starts."""

    draft: Annotated[str, Field(description="The text of the draft. It counts towards the budget.")] = ""
    attachments: Annotated[
        list[AttachmentId],
        Field(
            default_factory=list[str],
            max_length=MAX_ATTACHED,
            description="The id of an attachment of the draft. Repeat the parameter for each attachment.",
        ),
    ]
    start: Annotated[Start, Field(description="The end of the list to begin at.")] = "newest"
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT, description="The maximum number of entries.")] = WINDOW
    cursor: Annotated[str | None, Field(pattern=PAIR_CURSOR, description="A cursor of another page.")] = None


@dataclass(frozen=True, slots=True)
class PairPage:
    """A page of pairs in view, always oldest first.

    `next_cursor` leads to the next page, `previous_cursor` to the previous one.

    All other fields describe all pairs in view, not only this page:

    - `y`, `x`: the number of pairs in view, and of those that would be sent with this draft.
    - `boundary`, `boundary_reason`: pairs at lower positions than `boundary` are out, for this reason. All others would
      be sent, except pairs that cannot be sent.
    - `sentence`: describes the filter in words.
    - `notices`: warnings about unknown names in the filter.
    - `as_of`: a send with the same `as_of` applies the filter in the same way.
    - `prelude`: the text about the user that is sent before all pairs.
    - `secrets`: the kinds of the secrets that are redacted from the draft.
    - `selection`: names the pairs that would be sent. A send with this `selection` sends exactly these pairs or
      nothing.
    """

    items: tuple[PairView, ...]
    x: int
    y: int
    selection: str
    estimate: EstimateView
    sentence: str
    notices: tuple[str, ...]
    prelude: str | None
    secrets: tuple[str, ...]
    boundary: int | None
    boundary_reason: OutReason | None
    as_of: datetime
    next_cursor: str | None
    previous_cursor: str | None


@router.get(
    "/{conversation_id}/pairs",
    summary="List the pairs in view and what would be sent of them",
    description="Begins with the newest pairs, or with the oldest if `start=oldest`. `next_cursor` leads away from "
    "there, `previous_cursor` leads back. A page has at most `limit` pairs, and fewer if they exceed 4 MB "
    "together. A cursor knows its direction, so `start` applies only to the first page. `model`, `topic` and "
    "`draft` are the values of the composer.",
    responses=says(PairPage, "not-found", "conflict"),
)
async def list_them(
    ctx: Ctx,
    owner: Owner,
    conversation_id: ConversationId,
    options: ViewOptionsQuery,
    query: Annotated[PairsQuery, Query()],
) -> Response:
    attached = await load_attached(current(), owner, query.attachments)
    composed = await compose_view(ctx, owner, conversation_id, options, query.draft, attached=attached.parts)
    base, composition = composed.base, composed.composition
    visible = composition.visible.pairs
    async with ctx.store.read() as session:
        page, next_cursor, previous_cursor = await _choose_page(
            session, owner, visible, _place_of(visible, query.cursor, query.start), query.limit
        )
        pairs = await load_pairs_by_id(session, owner, tuple(pair.pair_id for pair in page))
    await ctx.indexer.note_damage(owner, pairs)
    showing = await show_pairs(ctx, base, composition, pairs)
    boundary, boundary_reason = boundary_of(composition)
    return answer(
        PairPage(
            items=tuple(describe_pair(pair, showing.facts_of(pair)) for pair in pairs),
            x=composition.x,
            y=composition.y,
            selection=composed.selection,
            estimate=describe_estimate(composition.estimate),
            sentence=base.sentence,
            notices=base.notices,
            prelude=base.extras.prelude,
            secrets=composed.secrets,
            boundary=boundary,
            boundary_reason=boundary_reason,
            as_of=base.as_of,
            next_cursor=next_cursor,
            previous_cursor=previous_cursor,
        )
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """The position where a page of pairs starts.

    `paged`: the position comes from a cursor of the client, so there is a previous page.
    """

    cursor: PairCursor
    paged: bool


def _place_of(pairs: Sequence[Candidate], cursor: str | None, start: Start) -> _Place:
    if cursor is not None:
        return _Place(read_pair_cursor(cursor), paged=True)
    # positions count from 1
    newest = PairCursor("before", pairs[-1].position + 1 if pairs else 1)
    return _Place(newest if start == "newest" else START, paged=False)


async def _choose_page(
    session: AsyncSession, owner: str, pairs: Sequence[Candidate], place: _Place, limit: int
) -> tuple[Sequence[Candidate], str | None, str | None]:
    """Return a page of pairs, oldest first, with the cursors of the next and the previous page.

    The page has at most `limit` pairs, and fewer if they exceed the limit of bytes for a page.
    """
    page, *_ = _cut_page(pairs, place, limit)
    sizes = await load_pair_bytes(session, owner, [pair.pair_id for pair in page])
    in_turn = reversed(page) if place.cursor.side == "before" else page
    fitting = count_fitting(sizes.get(pair.pair_id, 0) for pair in in_turn)
    return _cut_page(pairs, place, max(1, fitting))


def _cut_page(
    pairs: Sequence[Candidate], place: _Place, limit: int
) -> tuple[Sequence[Candidate], str | None, str | None]:
    if place.cursor.side == "before":
        end = bisect_left(pairs, place.cursor.position, key=_position_of)
        page = pairs[max(0, end - limit) : end]
        on = write_pair_cursor("before", page[0].position) if end > limit else None
        back = write_pair_cursor("after", page[-1].position) if page and place.paged else None
        return page, on, back
    begin = bisect_right(pairs, place.cursor.position, key=_position_of)
    page = pairs[begin : begin + limit]
    on = write_pair_cursor("after", page[-1].position) if begin + limit < len(pairs) else None
    back = write_pair_cursor("before", page[0].position) if page and place.paged else None
    return page, on, back


START = PairCursor("after", 0)


def _position_of(pair: Candidate) -> int:
    return pair.position
