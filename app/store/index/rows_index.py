"""The tables of the indexes of pairs: texts and facts for filters, sizes for estimates of tokens.

They are built from the pairs and can be built again. Elsewhere: queries (`indexes.py`, `sizes.py`).
"""

from __future__ import annotations

from sqlalchemy import JSON, Text
from sqlmodel import Field

from app.store.database.row import Row


class PairTextRow(Row, table=True):
    """The text and the facts of a pair for filters.

    The row is built from the two messages of the pair, and again when the pair has other messages. The text is the last
    column, because SQLite is slow to read a column after a long text.

    - `blank`: the reply has no content to send.
    - `damaged`: a part of the pair could not be read.
    - `tools`: the names of the tools called.
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
    """The token counts of a pair's two messages in a vocabulary, with the fields of `PairSizes` (`domain.tokens`).

    Like `PairTextRow`, it is built again when the pair has other messages.
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
