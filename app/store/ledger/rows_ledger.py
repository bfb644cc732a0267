"""The tables of usage: every provider call, and sums of calls, which triggers of the database update.

Costs are computed on reading (`domain/costs/prices.py`).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.store.database.row import Row


class LedgerRow(Row, table=True):
    """One provider call of any purpose. It refers to other rows without foreign keys.

    The database refuses to change or delete a row, and adds every new row to the sums in `usage_day` and
    `usage_account`.

    - `account_id`: the conversation that the cost is charged to. It is the conversation of the call or, if that is a
      child conversation (a summary, a title), its parent.
    - `outcome`: succeeded, error or canceled.
    - `counted_text`, `counted_messages`: Inview's token counts of the request.
    - `estimated_tokens`: the estimate made from these counts before the request was sent.
    - `sent_characters`, `sent_bytes`: the length of its texts and of its body.
    - `report_fault`: names the fields of the provider's report that are not valid counts.

    A counter is None if the provider did not report it.
    """

    __table_args__ = (
        UniqueConstraint("run_id", "attempt"),
        Index(None, "owner", "started_at"),
        Index(None, "owner", "model", "started_at"),
    )

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(index=True)
    account_id: str = Field(index=True, sa_column_kwargs={"server_default": ""})
    agent_id: str | None
    pair_id: str
    run_id: str
    attempt: int
    purpose: str
    model: str
    outcome: str
    error_class: str | None
    started_at: datetime
    ended_at: datetime
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_write_1h_tokens: int | None
    reasoning_tokens: int | None
    counted_text: int | None
    counted_messages: int | None
    estimated_tokens: int | None
    sent_characters: int | None
    sent_bytes: int | None
    report_fault: str | None


class UsageSums(Row):
    """Columns of the sums of ledger rows that have the same key.

    The key is the UTC day, the model, the purpose, the agent ("": none), and `size_class` and `day_part` of
    `domain.costs.prices`. `cut` is the number of calls that may have used more than reported. A counter that was not
    reported counts as 0.
    """

    calls: int
    cut: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_1h_tokens: int
    reasoning_tokens: int


class UsageDayRow(UsageSums, table=True):
    """The sums of ledger rows for each owner. Triggers update them with each new row; `rollups.py` rebuilds them."""

    __table_args__ = ({"sqlite_with_rowid": False},)

    owner: str = Field(primary_key=True)
    day: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    purpose: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True)
    size: int = Field(primary_key=True)
    part: int = Field(primary_key=True)


class UsageAccountRow(UsageSums, table=True):
    """The sums of ledger rows for each conversation (`account_id`), including calls of its child conversations."""

    __table_args__ = ({"sqlite_with_rowid": False},)

    owner: str = Field(primary_key=True)
    account_id: str = Field(primary_key=True)
    day: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    purpose: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True)
    size: int = Field(primary_key=True)
    part: int = Field(primary_key=True)


LEDGER = Row.metadata.tables["ledger"]
USAGE_DAY = Row.metadata.tables["usage_day"]
USAGE_ACCOUNT = Row.metadata.tables["usage_account"]
