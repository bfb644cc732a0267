"""The tables of conversations. Rows stay in this room: queries give domain values.

Ids are opaque texts made by `runs`; every row names its owner, or is a part of one that does, gone when that is. Only
raw facts are kept: no totals, no costs, no states that follow from other columns. A pair's request and reply are
messages of their own, so that a text can be replaced by a newer one without being changed.

Not here: the base of all (`store/database/row.py`), the other tables (`rows_<noun>.py`, all named in
`store/tables.py`), what the JSON columns hold (`store/database/parts_json.py`, `store/database/mapping.py`) and how the
tables came to be (`alembic/`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ColumnElement, Index, LargeBinary, Text, UniqueConstraint, case, func, text, type_coerce
from sqlmodel import Field

from app.store.database.row import Json, Row

IS_RUNNING_PAIR = "lifecycle IN ('sending', 'awaiting')"
IS_RUNNING_RUN = "status = 'running'"
CAN_BE_REPLAYED = "status = 'succeeded' AND replay_of IS NULL"
IS_DELETED = "deleted_at IS NOT NULL"


class ConversationRow(Row, table=True):
    """`revision` grows with every change to the conversation's pairs: see `PairRow.revision`.

    `summary` stands for the pairs before `summary_position`; both are None without a checkpoint. A fork names the last
    pair of its parent that it has a copy of. With a `deleted_at` it is in the trash.
    """

    __table_args__ = (
        Index(None, "owner", "updated_at", "id"),
        Index(None, "owner", "parent_id"),
        Index("ix_conversation_trash", "owner", "deleted_at", sqlite_where=text(IS_DELETED)),
    )

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
    summary: str | None
    summary_position: int | None
    fork_pair_id: str | None
    titled_by_model: bool = Field(sa_column_kwargs={"server_default": "0"})
    ticked_tools: list[str] = Field(sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    parameters: Json = Field(sa_type=JSON, sa_column_kwargs={"server_default": "{}"})
    retry_policy: str = Field(sa_column_kwargs={"server_default": "exponential"})
    deleted_at: datetime | None


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
    the pairs with a higher one. `request_id` and `reply_id` are the messages that stand now, among those of the pair:
    `version` says which of its `versions` they are. `agent` is the name of `agent_id` as it was.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "position"),
        Index(None, "conversation_id", "revision"),
        Index("ix_pair_trash", "owner", "deleted_at", sqlite_where=text(IS_DELETED)),
        # The migrations say it to PostgreSQL as well; here that would only load SQLAlchemy's half for it, 2 MB.
        Index(
            "uq_pair_running",
            "conversation_id",
            unique=True,
            sqlite_where=text(IS_RUNNING_PAIR),
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
    agent: str | None
    topic: str | None = Field(index=True)
    stars: int
    flagged: bool
    mark: str | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    version: int = Field(sa_column_kwargs={"server_default": "1"})
    versions: int = Field(sa_column_kwargs={"server_default": "1"})


class VersionRow(Row, table=True):
    """What stood in a pair that was sent more than once. `lifecycle` is None for the version that stands there now."""

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    number: int = Field(primary_key=True)
    owner: str
    request_id: str
    reply_id: str | None
    run_id: str | None
    model: str
    parameters: Json = Field(sa_type=JSON)
    agent_id: str | None
    agent: str | None
    lifecycle: str | None
    created_at: datetime


class NodeRow(Row, table=True):
    """What stands between pairs and is never sent, such as an accounting node. `data` depends on the `role`."""

    __table_args__ = (Index(None, "conversation_id", "after_position"),)

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    after_position: int
    role: str
    data: Json = Field(sa_type=JSON)
    created_at: datetime


class RunRow(Row, table=True):
    """One attempt at a reply, with what its log needs. `status` is `running` or the final lifecycle of its pair.

    `usage`, `stop_reason` and `failure` are what the provider said (None: it said nothing), `report_fault` what of its
    report is no count. The text is the pair's reply. `process_id` is the lease: the process that drives the run and
    sends its heartbeat. `sent` says which pairs went with the request, as ranges of positions. `replay_of` is the run
    whose reply was given again, without a call. `prelude` is the card about the person, `redacted` the secrets that
    marks replaced (None: secrets were not looked for).
    `rounds` are the calls that ended in tools; `usage` is that of the call after them. `purpose` is what its
    calls are for, as the ledger says it.
    """

    __table_args__ = (
        Index(
            "uq_run_running",
            "pair_id",
            unique=True,
            sqlite_where=text(IS_RUNNING_RUN),
        ),
        Index(
            "ix_run_replayable",
            "owner",
            "request_hash",
            sqlite_where=text(CAN_BE_REPLAYED),
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
    report_fault: str | None
    stop_reason: str | None
    failure: Json | None = Field(sa_type=JSON(none_as_null=True))
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None
    sent: list[list[int]] | None = Field(sa_type=JSON(none_as_null=True))
    replay_of: str | None
    prelude: str | None = Field(default=None, sa_type=Text)
    redacted: list[Json] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    rounds: list[Json] = Field(sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    purpose: str = Field(sa_column_kwargs={"server_default": "reply"})


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


def first_words(parts: ColumnElement[Any], most: int) -> ColumnElement[str]:
    """The beginning of a message's first part, if that is a text. SQLite refuses a query that meets what is no JSON."""
    whole = case((func.json_valid(parts) == 1, parts), else_=None)
    return func.substr(type_coerce(whole, JSON)[0]["text"].as_string(), 1, most)


CONVERSATION = Row.metadata.tables["conversation"]
MESSAGE = Row.metadata.tables["message"]
PAIR = Row.metadata.tables["pair"]
RUN = Row.metadata.tables["run"]
SNAPSHOT = Row.metadata.tables["snapshot"]
VERSION = Row.metadata.tables["version"]
NODE = Row.metadata.tables["node"]
