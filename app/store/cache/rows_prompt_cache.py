"""The table of plans for providers' prompt caches. See `domain/cache`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, Index, LargeBinary
from sqlmodel import Field

from app.store.database.row import Row


class PromptCacheRow(Row, table=True):
    """The cache plan of one round of a run, as predicted before the call.

    - `marks`: breakpoints as [place, lifetime in seconds] (places: `domain.cache.prefix`).
    - `cache_control_index`: the place of the newest breakpoint.
    - `tools_key`, `system_key`, `chain`: the keys of the request (`Prefix`). `chain` is emptied when the call is too
      old for any cache; no other column changes.
    """

    __table_args__ = (Index(None, "owner", "model", "at"),)

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    round: int = Field(primary_key=True, sa_column_kwargs={"server_default": "1"})
    owner: str
    conversation_id: str
    model: str
    at: datetime
    cache_control_index: int | None
    marks: list[list[int]] = Field(sa_type=JSON)
    predicted_place: int | None
    predicted_read_tokens: int
    predicted_exactly: bool
    frozen: bool
    tools_key: bytes = Field(sa_type=LargeBinary)
    system_key: bytes = Field(sa_type=LargeBinary)
    chain: bytes = Field(sa_type=LargeBinary)


PROMPT_CACHE = Row.metadata.tables["prompt_cache"]
