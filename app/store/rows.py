"""The tables. Rows stay in this room: the queries give domain values (see `mapping.py`).

Ids are opaque texts made by `runs`; every row names its owner. Only raw facts are kept: no totals, no costs, no states
that follow from other columns. A pair's request and reply are messages of their own, so that a text can be replaced
by a newer one without being changed.

Not here: what the JSON columns hold (`parts_json.py`, `mapping.py`) and how the tables came to be (`alembic/`).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, LargeBinary, MetaData, Text, UniqueConstraint, text
from sqlalchemy.orm import declared_attr
from sqlmodel import Field, SQLModel

Json = dict[str, Any]

IS_RUNNING_PAIR = "lifecycle IN ('sending', 'awaiting')"
IS_RUNNING_RUN = "status = 'running'"


class Row(SQLModel):
    """Base of all rows: `ProviderSettingRow` is table `provider_setting`. Constraints have names for later steps."""

    @declared_attr.directive
    def __tablename__(  # pyright: ignore[reportIncompatibleVariableOverride] - SQLAlchemy's way, SQLModel types it narrower
        cls,  # noqa: N805 - SQLAlchemy hands the class
    ) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Row")).lower()

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class ConversationRow(Row, table=True):
    """`revision` grows with every change to the conversation's pairs: see `PairRow.revision`."""

    __table_args__ = (Index(None, "owner", "updated_at", "id"),)

    id: str = Field(primary_key=True)
    owner: str
    created_at: datetime
    updated_at: datetime
    title: str
    kind: str
    status: str
    agent_id: str | None
    model: str | None
    system_prompt: str
    filter: str
    tool_mode: str
    parent_id: str | None
    trigger_message_id: str | None
    temporary: bool
    revision: int


class MessageRow(Row, table=True):
    """Never changed once written, but for the reply of a run that is on."""

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    pair_id: str | None = Field(foreign_key="pair.id", ondelete="CASCADE", index=True)
    role: str
    parts: list[Json] = Field(sa_type=JSON)
    created_at: datetime


class PairRow(Row, table=True):
    """The partial index is the send lock: however many processes try, one pair of a conversation runs at a time.

    `revision` is the conversation's at this pair's last change: who has seen the conversation at revision N needs only
    the pairs with a higher one. `request_id` and `reply_id` are the messages that stand now, among those of the pair.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "position"),
        Index(None, "conversation_id", "revision"),
        Index(
            "uq_pair_running",
            "conversation_id",
            unique=True,
            sqlite_where=text(IS_RUNNING_PAIR),
            postgresql_where=text(IS_RUNNING_PAIR),
        ),
    )

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    position: int
    revision: int
    request_id: str
    reply_id: str | None
    run_id: str | None
    model: str
    parameters: Json = Field(sa_type=JSON)
    lifecycle: str
    agent_id: str | None
    topic: str | None
    stars: int
    flagged: bool
    mark: str | None
    created_at: datetime
    updated_at: datetime


class RunRow(Row, table=True):
    """One attempt at a reply, with what its log needs. `status` is `running` or the final lifecycle of its pair.

    `usage`, `stop_reason` and `failure` are what the provider said (None: it said nothing). The text is the pair's
    reply. `process_id` is the lease: the process that drives the run and sends its heartbeat.
    """

    __table_args__ = (
        Index(
            "uq_run_running",
            "pair_id",
            unique=True,
            sqlite_where=text(IS_RUNNING_RUN),
            postgresql_where=text(IS_RUNNING_RUN),
        ),
    )

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", index=True)
    reply_id: str
    model: str
    request_hash: str
    process_id: str
    status: str
    attempt: int
    attempt_started_at: datetime
    retries: list[Json] = Field(sa_type=JSON)
    usage: Json | None = Field(sa_type=JSON(none_as_null=True))
    stop_reason: str | None
    failure: Json | None = Field(sa_type=JSON(none_as_null=True))
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None


class SnapshotRow(Row, table=True):
    """The exact request of a pair that failed. A pair that succeeded keeps only its run's `request_hash`."""

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    owner: str
    run_id: str
    model: str
    content_hash: str
    url: str
    headers: list[list[str]] = Field(sa_type=JSON)
    body: bytes = Field(sa_type=LargeBinary)
    created_at: datetime


class LedgerRow(Row, table=True):
    """One provider call, whoever made it. Never changed or deleted: it refers to other rows and hangs on none.

    `outcome` is succeeded, error or canceled. A counter is None when the provider did not tell.
    """

    __table_args__ = (UniqueConstraint("run_id", "attempt"), Index(None, "owner", "started_at"))

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(index=True)
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


class ProviderSettingRow(Row, table=True):
    """What a person entered for a provider. `sealed_key` is readable only with the key file (see `sealing.py`)."""

    owner: str = Field(primary_key=True)
    provider: str = Field(primary_key=True)
    base_url: str | None = Field(sa_type=Text)
    sealed_key: bytes | None = Field(sa_type=LargeBinary)
    updated_at: datetime


CONVERSATION = Row.metadata.tables["conversation"]
MESSAGE = Row.metadata.tables["message"]
PAIR = Row.metadata.tables["pair"]
RUN = Row.metadata.tables["run"]
SNAPSHOT = Row.metadata.tables["snapshot"]
LEDGER = Row.metadata.tables["ledger"]
PROVIDER_SETTING = Row.metadata.tables["provider_setting"]
