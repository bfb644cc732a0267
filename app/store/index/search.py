"""Search: conversations with words in a title or a pair, the best match first, with the text around it.

    found = await search(session, owner, wanted, looked_for)
    page = await load_found(session, owner, looked_for, found.places[:50])

What lies in the trash is not found, nor what was deleted. The database keeps a full-text index of words
(`word_index.py`). Scripts without blanks between words are looked for in the texts themselves, which takes longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Float, FromClause, Select, func, literal_column, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.search import Search, cut_excerpt
from app.store.conversation.conversations import Listed, list_named
from app.store.conversation.rows import CONVERSATION, PAIR
from app.store.conversation.wanted import Wanted, conditions_of
from app.store.index.rows_search import SEARCH_TEXT
from app.store.index.word_index import WordIndex, word_index_of

MAX_LOOKED_AT: Final = 1_000
"""Places that are compared: the newest ones. Where more have the words, who searches is told so."""
MAX_READ: Final = 100_000
"""Characters of a pair that are read for an excerpt. Words that stand further back are found, and not shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the words stand: in a pair, or, without one, in the title. `others`: how many more places there are."""

    conversation_id: str
    docid: int
    pair_id: str | None
    others: int


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The best place of each conversation, the best of these first. `complete`: no older places have the words."""

    places: tuple[Place, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What stands around the words in the pair at a position, in pieces: text, and whether it is one of the words."""

    position: int
    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation that was found. `excerpt` None: the words stand in its title."""

    listed: Listed
    place: Place
    excerpt: Excerpt | None


async def search(session: AsyncSession, owner: str, wanted: Wanted, looked_for: Search) -> FoundPlaces:
    """Where the words stand in an owner's conversations.

    Few places are ranked by how much of them the words are (BM25). Of more than `MAX_LOOKED_AT` the newest are taken,
    titles first and then the conversation with the most of them: ranking would look at each of a million.
    """
    if not looked_for.terms and not looked_for.pieces:
        return FoundPlaces((), complete=True)
    index = word_index_of(session)
    rows = (await session.execute(select_places(index, owner, wanted, looked_for))).all()
    complete, rows = len(rows) <= MAX_LOOKED_AT, rows[:MAX_LOOKED_AT]
    if complete and len(rows) > 1 and looked_for.terms:
        rows = (await session.execute(select_places(index, owner, wanted, looked_for, ranked=True))).all()
    counts = Counter(row.conversation_id for row in rows)
    rank: dict[int, tuple[float, ...]] = {
        row.docid: (row.rank, -row.docid)
        if complete
        else (row.pair_id is not None, -counts[row.conversation_id], -row.docid)
        for row in rows
    }
    places: dict[str, Place] = {}
    for row in sorted(rows, key=lambda row: rank[row.docid]):
        if row.conversation_id not in places:
            others = counts[row.conversation_id] - 1
            places[row.conversation_id] = Place(row.conversation_id, row.docid, row.pair_id, others)
    return FoundPlaces(tuple(places.values()), complete)


async def load_found(
    session: AsyncSession, owner: str, looked_for: Search, places: Sequence[Place]
) -> tuple[Found, ...]:
    """The conversations of these places, in their order, each with what stands around the words."""
    listed = await list_named(session, owner, [place.conversation_id for place in places])
    excerpts = await load_excerpts(session, looked_for, [place.docid for place in places if place.pair_id is not None])
    return tuple(
        Found(listed[place.conversation_id], place, excerpts.get(place.docid))
        for place in places
        if place.conversation_id in listed
    )


async def load_excerpts(session: AsyncSession, looked_for: Search, docids: Sequence[int]) -> dict[int, Excerpt]:
    """Where these pairs stand, and what stands around the words in them."""
    words = func.substr(SEARCH_TEXT.c.words, 1, MAX_READ).label("words")
    query = select(SEARCH_TEXT.c.docid, PAIR.c.position, words).join(PAIR, PAIR.c.id == SEARCH_TEXT.c.pair_id)
    rows = await session.execute(query.where(SEARCH_TEXT.c.docid.in_(docids)))
    return {row.docid: Excerpt(row.position, cut_excerpt(row.words, looked_for)) for row in rows}


async def load_places(
    session: AsyncSession, owner: str, conversation_id: str, looked_for: Search, *, limit: int
) -> tuple[Excerpt, ...]:
    """The newest places in pairs of one conversation."""
    index = word_index_of(session)
    asked = select_places(index, owner, Wanted(), looked_for, of_conversation=conversation_id)
    docids = [row.docid for row in (await session.execute(asked)).all() if row.pair_id is not None][:limit]
    excerpts = await load_excerpts(session, looked_for, docids)
    return tuple(excerpts[docid] for docid in docids if docid in excerpts)


def select_places(  # noqa: PLR0913 - whose, which, where
    index: WordIndex,
    owner: str,
    wanted: Wanted,
    looked_for: Search,
    *,
    ranked: bool = False,
    of_conversation: str | None = None,
) -> Select[Any, Any, Any, Any]:
    """Places from the newest on. The index is gone through first, and no further than is asked for."""
    text = SEARCH_TEXT.c
    rank = index.rank(looked_for) if ranked else literal_column("0.0", Float)
    conditions = [text.owner == owner, *conditions_of(owner, wanted)]
    if of_conversation is not None:
        conditions.append(text.conversation_id == of_conversation)
    conditions += [func.instr(text.words, piece) > 0 for piece in looked_for.pieces]
    source: FromClause = SEARCH_TEXT
    newest: ColumnElement[int] = text.docid
    if looked_for.terms:
        source, newest = index.source, index.newest
        conditions[:0] = index.conditions(looked_for)
    return (
        select(text.conversation_id, text.docid, text.pair_id, rank.label("rank"))
        .select_from(source.join(CONVERSATION, CONVERSATION.c.id == text.conversation_id))
        .where(*conditions)
        .order_by(newest.desc())
        .limit(MAX_LOOKED_AT + 1)
    )
