"""The full-text index of words, as each database engine has it, behind one type.

    index = word_index_of(session)
    select(…).select_from(index.source).where(*index.conditions(looked_for)).order_by(index.newest.desc())

SQLite has a virtual table of FTS5 beside `search_text` (`rows_search.py`), PostgreSQL a column of `search_text` with
a GIN index, made of the words by the database (`alembic/postgresql/functions.sql`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Float, FromClause, Integer, column, func, literal, literal_column, table
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.search import Search, Term
from app.store.index.rows_search import INDEX_NAME, SEARCH_TEXT


class WordIndex(Protocol):
    """One engine's index of words."""

    @property
    def source(self) -> FromClause:
        """The index with the rows of `search_text`."""
        ...

    @property
    def newest(self) -> ColumnElement[int]:
        """What grows from row to row; the index is gone through by it."""
        ...

    def conditions(self, looked_for: Search) -> list[ColumnElement[bool]]:
        """That the terms stand in a row."""
        ...

    def rank(self, looked_for: Search) -> ColumnElement[float]:
        """How much of a row the terms are: the best have the lowest."""
        ...


def word_index_of(session: AsyncSession) -> WordIndex:
    """The index of the database that a session is on."""
    return SQLITE if session.get_bind().dialect.name == "sqlite" else POSTGRESQL


_INDEX: Final = table(INDEX_NAME, column("rowid", Integer), column(INDEX_NAME))
_JOINED: Final = _INDEX.join(SEARCH_TEXT, SEARCH_TEXT.c.docid == _INDEX.c.rowid)


@dataclass(frozen=True, slots=True)
class _Sqlite:
    source: FromClause = _JOINED
    newest: ColumnElement[int] = _INDEX.c.rowid

    def conditions(self, looked_for: Search) -> list[ColumnElement[bool]]:
        return [_INDEX.c[INDEX_NAME].op("MATCH")(looked_for.query)]

    def rank(self, looked_for: Search) -> ColumnElement[float]:  # noqa: ARG002 - FTS5 knows what it is asked
        return literal_column(f"bm25({INDEX_NAME})", Float)


_VECTOR: Final[ColumnElement[Any]] = literal_column("search_text.vector")
_BY_LENGTH: Final = 2
"""The rank is divided by the length of the text."""


@dataclass(frozen=True, slots=True)
class _Postgresql:
    source: FromClause = SEARCH_TEXT
    newest: ColumnElement[int] = SEARCH_TEXT.c.docid

    def conditions(self, looked_for: Search) -> list[ColumnElement[bool]]:
        found = [_VECTOR.op("@@", is_comparison=True)(_query(looked_for))]
        # The index forgets places far back in a text, so the order of words is looked for in the text.
        plain = func.search_plain(SEARCH_TEXT.c.words)
        return found + [
            func.strpos(plain, f" {' '.join(term.words)}{'' if term.prefix else ' '}") > 0
            for term in looked_for.terms
            if len(term.words) > 1
        ]

    def rank(self, looked_for: Search) -> ColumnElement[float]:
        return -func.ts_rank(_VECTOR, _query(looked_for), _BY_LENGTH, type_=Float())


def _query(looked_for: Search) -> ColumnElement[Any]:
    return literal(" & ".join(map(_write, looked_for.terms))).op("::")(literal_column("tsquery"))


def _write(term: Term) -> str:
    """All words of a term. They are letters and digits alone, so nothing in them needs a quote."""
    words = " & ".join(f"'{word}'" for word in term.words)
    return f"{words}:*" if term.prefix else words


SQLITE: Final[WordIndex] = _Sqlite()
POSTGRESQL: Final[WordIndex] = _Postgresql()
