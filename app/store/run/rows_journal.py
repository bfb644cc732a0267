"""The table of additions that running replies received since they were last stored whole.

`runs/engine/writer.py` decides when they are stored whole; `journal.py` has the queries.
"""

from __future__ import annotations

from sqlalchemy import JSON
from sqlmodel import Field

from app.store.database.row import Json, Row


class ReplyJournalRow(Row, table=True):
    """An addition to the reply of a running run. Ids grow in the order of the additions. An ended run has no rows.

    There is no index on `run_id`: the table has the rows of a second or two, and an index would write one more page for
    each running reply.
    """

    id: int | None = Field(default=None, primary_key=True)
    owner: str
    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE")
    growth: Json = Field(sa_type=JSON)


REPLY_JOURNAL = Row.metadata.tables["reply_journal"]
