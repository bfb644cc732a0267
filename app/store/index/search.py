"""Searches for words in the titles and pairs of conversations. Each title or pair with the words is called a place.

    found = await search(session, owner, criteria, looked_for)
    page = await load_found(session, owner, looked_for, found.places[:50])

The best place is first, and each pair has an excerpt. The search skips the trash and deleted pairs. The database has a
full-text index of words (`rows_search.py`). For scripts without blanks between words, the search reads the texts
themselves, which takes longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, column, func, literal_column, select, table
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.search import Search, cut_excerpt
from app.store.conversation.conversations import IN_VIEW, ListCriteria, Listed, conditions_of, list_named
from app.store.conversation.rows import CONVERSATION, PAIR
from app.store.index.rows_search import INDEX_NAME, SEARCH_TEXT

MAX_LOOKED_AT: Final = 1_000
"""Maximum number of places that are compared with each other, the newest ones. If there are more, the page says so."""
MAX_READ: Final = 100_000
"""Maximum number of characters of a pair that are read for an excerpt. A later match is found, but has no excerpt."""

_INDEX = table(INDEX_NAME, column("rowid"), column(INDEX_NAME))


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A place that contains the searched words: a pair or, if `pair_id` is None, the title of the conversation.

    `docid` is the id in the search index, `others` the number of further places in the same conversation.
    """

    conversation_id: str
    docid: int
    pair_id: str | None
    others: int


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The best place of each conversation that was found, sorted from the best to the worst.

    `complete`: every place with the words was compared; otherwise older places were left out.
    """

    places: tuple[SearchHit, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text around the searched words in a pair, in pieces. True marks a piece that is one of the words."""

    position: int
    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation that was found, with its best place. `excerpt` None: the words are in the title."""

    listed: Listed
    place: SearchHit
    excerpt: Excerpt | None


async def search(session: AsyncSession, owner: str, criteria: ListCriteria, looked_for: Search) -> FoundPlaces:
    """Find the places that contain the words in an owner's conversations.

    Up to `MAX_LOOKED_AT` places are ranked by BM25. If there are more, only the newest ones are taken, and they are not
    ranked, because a rank needs a look at every place, perhaps a million. Their order is then: titles first, next the
    places in conversations with the most places, and among equals the newest first.
    """
    if not looked_for.terms and not looked_for.pieces:
        return FoundPlaces((), complete=True)
    rows = (await session.execute(select_places(owner, criteria, looked_for))).all()
    complete, rows = len(rows) <= MAX_LOOKED_AT, rows[:MAX_LOOKED_AT]
    if complete and len(rows) > 1 and looked_for.terms:
        rows = (await session.execute(select_places(owner, criteria, looked_for, ranked=True))).all()
    counts = Counter(row.conversation_id for row in rows)
    rank: dict[int, tuple[float, ...]] = {
        row.docid: (row.rank, -row.docid)
        if complete
        else (row.pair_id is not None, -counts[row.conversation_id], -row.docid)
        for row in rows
    }
    places: dict[str, SearchHit] = {}
    for row in sorted(rows, key=lambda row: rank[row.docid]):
        if row.conversation_id not in places:
            others = counts[row.conversation_id] - 1
            places[row.conversation_id] = SearchHit(row.conversation_id, row.docid, row.pair_id, others)
    return FoundPlaces(tuple(places.values()), complete)


async def load_found(
    session: AsyncSession, owner: str, looked_for: Search, places: Sequence[SearchHit]
) -> tuple[Found, ...]:
    """Return the conversations of these places in the same order, each with its excerpt."""
    listed = await list_named(session, owner, [place.conversation_id for place in places])
    excerpts = await load_excerpts(session, looked_for, [place.docid for place in places if place.pair_id is not None])
    return tuple(
        Found(listed[place.conversation_id], place, excerpts.get(place.docid))
        for place in places
        if place.conversation_id in listed
    )


async def load_excerpts(session: AsyncSession, looked_for: Search, docids: Sequence[int]) -> dict[int, Excerpt]:
    """Return the excerpts of these pairs, by their ids in the search index."""
    words = func.substr(SEARCH_TEXT.c.words, 1, MAX_READ).label("words")
    query = select(SEARCH_TEXT.c.docid, PAIR.c.position, words).join(PAIR, PAIR.c.id == SEARCH_TEXT.c.pair_id)
    rows = await session.execute(query.where(SEARCH_TEXT.c.docid.in_(docids)))
    return {row.docid: Excerpt(row.position, cut_excerpt(row.words, looked_for)) for row in rows}


async def load_places(
    session: AsyncSession, owner: str, conversation_id: str, looked_for: Search, *, limit: int
) -> tuple[Excerpt, ...]:
    """Return excerpts of the newest pairs of one conversation that contain the words."""
    query = select_places(owner, ListCriteria(), looked_for, of_conversation=conversation_id)
    docids = [row.docid for row in (await session.execute(query)).all() if row.pair_id is not None][:limit]
    excerpts = await load_excerpts(session, looked_for, docids)
    return tuple(excerpts[docid] for docid in docids if docid in excerpts)


def select_places(
    owner: str, criteria: ListCriteria, looked_for: Search, *, ranked: bool = False, of_conversation: str | None = None
) -> Select[Any, Any, Any, Any]:
    """Return the query for the newest places that contain the words: at most one more than `MAX_LOOKED_AT`.

    The full-text index is read first, and only as far as necessary. `ranked`: the result has the BM25 rank of
    each place. `of_conversation`: only places in this conversation.
    """
    text = SEARCH_TEXT.c
    rank: ColumnElement[Any] = literal_column(f"bm25({INDEX_NAME})" if ranked else "0.0")
    conditions = [text.owner == owner, CONVERSATION.c.owner == owner, IN_VIEW, *conditions_of(criteria)]
    if of_conversation is not None:
        conditions.append(text.conversation_id == of_conversation)
    conditions += [func.instr(text.words, piece) > 0 for piece in looked_for.pieces]
    source: Any = SEARCH_TEXT
    newest: ColumnElement[int] = text.docid
    if looked_for.terms:
        newest = _INDEX.c.rowid
        conditions.insert(0, _INDEX.c[INDEX_NAME].op("MATCH")(looked_for.query))
        source = _INDEX.join(SEARCH_TEXT, text.docid == _INDEX.c.rowid)
    return (
        select(text.conversation_id, text.docid, text.pair_id, rank.label("rank"))
        .select_from(source.join(CONVERSATION, CONVERSATION.c.id == text.conversation_id))
        .where(*conditions)
        .order_by(newest.desc())
        .limit(MAX_LOOKED_AT + 1)
    )
