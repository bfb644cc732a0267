"""The journal table: what each running reply gained since it was last stored whole.

Not here: when they are (`runs/engine/writer.py`) and reading it (`journal.py`).
"""

from __future__ import annotations

from sqlalchemy import JSON
from sqlmodel import Field

from app.store.database.row import Json, Row


class ReplyJournalRow(Row, table=True):
    """An addition to the reply of a running run; ids grow in the order of the additions. No rows once it is over.

    There is no index on `run_id`: the table has the rows of a second or two, and each index would cost a page to write
    for each running reply.
    """

    id: int | None = Field(default=None, primary_key=True)
    owner: str
    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE")
    growth: Json = Field(sa_type=JSON)


REPLY_JOURNAL = Row.metadata.tables["reply_journal"]
