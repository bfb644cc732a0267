"""The tables of the ledger: each provider call, and the sums that the database itself keeps of them.

Not here: what a call costs, which is worked out when it is asked for (`domain/costs/prices.py`).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.store.database.row import Row


class LedgerRow(Row, table=True):
    """One provider call, whoever made it. It refers to other rows and hangs on none. The database itself refuses to
    change or delete it, and keeps the sums in `usage_day` and `usage_account` with each one entered.

    `account_id` is the conversation on whose account it goes: of what was derived (a summary, a title) the one it was
    derived for.
    `outcome` is succeeded, error or canceled. A counter is None when the provider did not tell. `counted_text` and
    `counted_messages` are what we counted of the request, `estimated_tokens` what we made of that before it left;
    `sent_characters` is the length of its texts, `sent_bytes` that of its body. `report_fault` says what of the
    provider's report was no count.
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
    """Sums of ledger rows: of one UTC day, model, purpose, agent ("": none), and of what
    `domain.costs.prices` tells apart: `size_class` and `day_part`.

    `cut` counts the calls that may have used more than was told. What was not told counts nothing.
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
    """Made of the ledger by the database, and only by it (`store/ledger/usage.py` can make it again)."""

    __table_args__ = ({"sqlite_with_rowid": False},)

    owner: str = Field(primary_key=True)
    day: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    purpose: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True)
    size: int = Field(primary_key=True)
    part: int = Field(primary_key=True)


class UsageAccountRow(UsageSums, table=True):
    """The same, of each account."""

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
