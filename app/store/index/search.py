"""Searches the titles and pairs of conversations. A hit is a title or a pair that contains all searched words.

    found = await search(session, owner, criteria, looked_for)
    page = await load_found(session, owner, looked_for, found.places[:50])

The best hit is first. A hit in a pair has an excerpt. The trash and deleted pairs are not searched. The database has a
full-text index of words (`rows_search.py`). For scripts without blanks between words, the search reads the texts
themselves, which takes longer.

A long pair has several rows in the index. The searched words may be in different rows, so a second query searches the
long pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, Select, column, func, literal, literal_column, select, table, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.privacy.secrets import MAX_KEY_BLOCK
from app.domain.text.search import Search, Term, cut_excerpt
from app.store.conversation.conversations import IN_VIEW
from app.store.conversation.lists import ListCriteria, Listed, conditions_of, list_named
from app.store.conversation.rows import CONVERSATION, PAIR
from app.store.index.pieces import redact_piece
from app.store.index.rows_search import INDEX_NAME, IS_SECOND_PIECE, SEARCH_TEXT

MAX_LOOKED_AT: Final = 1_000
"""Maximum number of hits that a search uses: the newest ones. If there are more hits, the page says so."""
MAX_READ: Final = 100_000
"""Maximum number of characters of a pair that are read for an excerpt. A later match is found, but has no excerpt."""
MAX_EXCERPTS: Final = 3
"""Maximum number of excerpts from one conversation."""

_INDEX = table(INDEX_NAME, column("rowid"), column(INDEX_NAME))
_ONE: ColumnElement[Any] = literal_column("1")
_NO_RANK: ColumnElement[Any] = literal_column("0.0")


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A hit of a search: a pair or, if `pair_id` is None, the title of the conversation.

    `docid` is the id in the search index, `others` the number of further hits in the same conversation.
    """

    conversation_id: str
    docid: int
    pair_id: str | None
    others: int


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The best hit of each conversation that was found, sorted from the best to the worst.

    `complete`: the search used all hits. If false, it used only the newest ones.
    """

    places: tuple[SearchHit, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text around the searched words in a pair, in pieces. True marks a piece that is a searched word."""

    position: int
    pieces: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.pieces)


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation that was found, with its best hit (`place`). `excerpt` is None if the hit is the title."""

    listed: Listed
    place: SearchHit
    excerpt: Excerpt | None


async def search(session: AsyncSession, owner: str, criteria: ListCriteria, looked_for: Search) -> FoundPlaces:
    """Find the hits in an owner's conversations.

    Up to `MAX_LOOKED_AT` hits are ranked by BM25.

    If there are more hits, only the newest ones are used. They are not ranked by BM25, because BM25 would have to read
    all hits, perhaps a million. Instead, titles come first, then the hits in the conversations with the most hits;
    among equals, the newest hit comes first.
    """
    if not looked_for.terms and not looked_for.pieces:
        return FoundPlaces((), complete=True)
    rows = (await session.execute(select_places(owner, criteria, looked_for))).all()
    complete, rows = len(rows) <= MAX_LOOKED_AT, rows[:MAX_LOOKED_AT]
    if complete and len(rows) > 1 and looked_for.terms:
        rows = (await session.execute(select_places(owner, criteria, looked_for, ranked=True))).all()
    rows = [*rows, *(await _find_long_pairs(session, owner, criteria, looked_for))]
    counts = Counter(conversation_id for conversation_id, _ in {(row.conversation_id, row.pair_id) for row in rows})
    rank: dict[int, tuple[float, ...]] = {
        row.docid: (row.rank, -row.docid)
        if complete
        else (row.pair_id is not None, -counts[row.conversation_id], -row.docid)
        for row in reversed(rows)  # if both queries found a row, use its first rank
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
    """Return the conversations of these hits in the same order, each with its excerpt."""
    listed = await list_named(session, owner, [place.conversation_id for place in places])
    excerpts = await load_excerpts(session, looked_for, [place.docid for place in places if place.pair_id is not None])
    return tuple(
        Found(listed[place.conversation_id], place, excerpts.get(place.docid))
        for place in places
        if place.conversation_id in listed
    )


async def load_excerpts(
    session: AsyncSession, looked_for: Search, docids: Sequence[int], *, redact: bool = False
) -> dict[int, Excerpt]:
    """Return the excerpts of these pairs, by their ids in the search index.

    `redact`: replace secrets before an excerpt is cut, because a part of a secret would not be recognised.
    """
    words = func.substr(SEARCH_TEXT.c.words, 1, MAX_READ + (MAX_KEY_BLOCK if redact else 0)).label("words")
    before = _select_words_before() if redact else literal("")
    query = select(SEARCH_TEXT.c.docid, PAIR.c.position, words, before.label("before"))
    query = query.join(PAIR, PAIR.c.id == SEARCH_TEXT.c.pair_id).where(SEARCH_TEXT.c.docid.in_(docids))
    return {
        row.docid: Excerpt(
            row.position,
            cut_excerpt(redact_piece(row.before or "", row.words, MAX_READ) if redact else row.words, looked_for),
        )
        for row in await session.execute(query)
    }


def _select_words_before() -> ColumnElement[str | None]:
    """Return the query for the end of the previous row of the same pair: a secret may begin there."""
    before = SEARCH_TEXT.alias("before").c
    query = select(func.substr(before.words, -MAX_KEY_BLOCK))
    query = query.where(before.pair_id == SEARCH_TEXT.c.pair_id, before.piece == SEARCH_TEXT.c.piece - 1)
    return query.correlate(SEARCH_TEXT).scalar_subquery()


async def load_places(
    session: AsyncSession, owner: str, conversation_id: str, looked_for: Search, *, redact: bool = False
) -> tuple[Excerpt, ...]:
    """Return excerpts of the newest `MAX_EXCERPTS` pairs of one conversation that contain all searched words.

    `redact`: as for `load_excerpts`.
    """
    query = select_places(owner, ListCriteria(), looked_for, of_conversation=conversation_id)
    long = await _find_long_pairs(session, owner, ListCriteria(), looked_for, of_conversation=conversation_id)
    of_pairs: dict[str, int] = {}
    for row in (*(await session.execute(query)).all(), *long):
        if row.pair_id is not None:
            of_pairs.setdefault(row.pair_id, row.docid)
    docids = list(of_pairs.values())[:MAX_EXCERPTS]
    excerpts = await load_excerpts(session, looked_for, docids, redact=redact)
    return tuple(excerpts[docid] for docid in docids if docid in excerpts)


def select_places(
    owner: str, criteria: ListCriteria, looked_for: Search, *, ranked: bool = False, of_conversation: str | None = None
) -> Select[Any, Any, Any, Any]:
    """Return the query for the newest hits. It returns at most `MAX_LOOKED_AT` + 1 hits, which shows if there are more.

    The full-text index is read first, and only as far as necessary. `ranked`: the result has the BM25 rank of
    each hit. `of_conversation`: only hits in this conversation.
    """
    row = SEARCH_TEXT.c
    rank: ColumnElement[Any] = literal_column(f"bm25({INDEX_NAME})" if ranked else "0.0")
    conditions = [row.owner == owner, CONVERSATION.c.owner == owner, IN_VIEW, *conditions_of(criteria)]
    if of_conversation is not None:
        conditions.append(row.conversation_id == of_conversation)
    conditions += [func.instr(row.words, piece) > 0 for piece in looked_for.pieces]
    source: Any = SEARCH_TEXT
    newest: ColumnElement[int] = row.docid
    if looked_for.terms:
        newest = _INDEX.c.rowid
        conditions.insert(0, _INDEX.c[INDEX_NAME].op("MATCH")(looked_for.query))
        source = _INDEX.join(SEARCH_TEXT, row.docid == _INDEX.c.rowid)
    return (
        select(row.conversation_id, row.docid, row.pair_id, rank.label("rank"))
        .select_from(source.join(CONVERSATION, CONVERSATION.c.id == row.conversation_id))
        .where(*conditions)
        .order_by(newest.desc())
        .limit(MAX_LOOKED_AT + 1)
    )


async def _find_long_pairs(
    session: AsyncSession,
    owner: str,
    criteria: ListCriteria,
    looked_for: Search,
    *,
    of_conversation: str | None = None,
) -> Sequence[Any]:
    """Return rows of the pairs with the searched words in different rows of the index, newest first, with rank 0."""
    if len(looked_for.terms) + len(looked_for.pieces) < 2:
        return ()
    query = select_long_pairs(owner, criteria, looked_for, of_conversation=of_conversation)
    return (await session.execute(query)).all()


def select_long_pairs(
    owner: str, criteria: ListCriteria, looked_for: Search, *, of_conversation: str | None = None
) -> Select[Any, Any, Any, Any]:
    """Return the query that finds long pairs: they have several rows, which together contain all searched words.

    Of the rows of each pair, the result has those that contain the first searched word.
    """
    row, second, other = SEARCH_TEXT.c, SEARCH_TEXT.alias("second"), SEARCH_TEXT.alias("other")
    first, *others = (*looked_for.terms, *looked_for.pieces)
    long_pairs = select(second.c.pair_id).where(text(f"second.{IS_SECOND_PIECE}"))
    # A condition for each row, not a join. With a join, SQLite could read all conversations first. With the condition,
    # SQLite starts with the long pairs, which are few.
    of_criteria = select(_ONE).where(
        CONVERSATION.c.id == row.conversation_id, CONVERSATION.c.owner == owner, IN_VIEW, *conditions_of(criteria)
    )
    conditions = [row.owner == owner, of_criteria.correlate(SEARCH_TEXT).exists(), _has(SEARCH_TEXT, first)]
    if of_conversation is not None:
        conditions.append(row.conversation_id == of_conversation)
    for word in others:
        in_pair = select(_ONE).where(other.c.pair_id == row.pair_id, _has(other, word))
        conditions.append(in_pair.correlate(SEARCH_TEXT).exists())
    return (
        select(row.conversation_id, row.docid, row.pair_id, _NO_RANK.label("rank"))
        .where(row.pair_id.in_(long_pairs), *conditions)
        .order_by(row.docid.desc())
        .limit(MAX_LOOKED_AT)
    )


def _has(row: FromClause, word: Term | str) -> ColumnElement[bool]:
    """Return the condition for rows with a term, or with a text in a script without blanks."""
    if isinstance(word, str):
        return func.instr(row.c.words, word) > 0
    in_index = _INDEX.c.rowid == row.c.docid, _INDEX.c[INDEX_NAME].op("MATCH")(word.query)
    return select(_ONE).select_from(_INDEX).where(*in_index).correlate(row).exists()
