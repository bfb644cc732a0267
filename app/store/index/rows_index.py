"""The tables that are made of pairs, and can be made of them again: what filters and estimates ask of a pair's words.

Not here: how they are made (`indexes.py`, `sizes.py`).
"""

from __future__ import annotations

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Row


class PairTextRow(Row, table=True):
    """What filters ask of a pair's words: an index of its two messages, made again whenever they are others.

    `blank`: the reply has nothing that could be sent. `damaged`: something of the pair could not be read. `tools` are
    the names of the tools called. The text is last: a column after a long text is slow to read.
    """

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    conversation_id: str = Field(index=True)
    request_id: str
    reply_id: str | None
    attachment: bool
    blank: bool
    damaged: bool = Field(sa_column_kwargs={"server_default": "0"})
    tools: list[str] = Field(sa_type=JSON)
    searched_text: str = Field(sa_type=Text)


class PairSizeRow(Row, table=True):
    """How large a pair's two messages are in a vocabulary, as `domain.tokens.estimates.PairSizes`. An index as
    `pair_text`.
    """

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    vocabulary: str = Field(primary_key=True)
    conversation_id: str = Field(index=True)
    request_id: str
    reply_id: str | None
    text: int
    messages: int
    thinking: int
    thinking_vendor: str | None
    images: list[list[int]] = Field(sa_type=JSON)


PAIR_TEXT = Row.metadata.tables["pair_text"]
PAIR_SIZE = Row.metadata.tables["pair_size"]
