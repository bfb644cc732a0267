"""The tables of conversations. Rows do not leave `app/store`: queries return domain values.

Ids are opaque strings that `runs` makes. A row names its owner, or belongs to a row that names the owner. In the second
case, both rows are deleted together. Only raw facts are stored: no totals, no costs, no state that can be computed from
other columns. The request and the reply of a pair are separate messages: a newer text is a new message, and the older
message does not change.

Elsewhere: the base class (`store/database/row.py`), the other tables (`rows_<noun>.py`, all listed in
`store/tables.py`), the content of the JSON columns (`store/database/parts_json.py`, `store/database/mapping.py`) and
the migrations (`alembic/`).
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
IS_FILED = "folder_id IS NOT NULL"


class ConversationRow(Row, table=True):
    """A conversation.

    - `revision`: grows with every change of its pairs (see `PairRow.revision`).
    - `summary`: sent instead of the pairs with a position lower than `summary_position`; both are None without a
      checkpoint.
    - `fork_pair_id`: for a fork, the last pair of its parent that was copied.
    - `folder_id`: its folder. While that folder is deleted, the conversation is in no folder.
    - `deleted_at`: set if the conversation is in the trash.
    """

    __table_args__ = (
        Index(None, "owner", "updated_at", "id"),
        Index(None, "owner", "parent_id"),
        Index("ix_conversation_folder_id", "folder_id", sqlite_where=text(IS_FILED)),
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
    retry_limits: Json = Field(sa_type=JSON, sa_column_kwargs={"server_default": "{}"})
    metadata_json: str = Field(sa_column_kwargs={"server_default": ""})
    middleware: Json = Field(sa_type=JSON, sa_column_kwargs={"server_default": "{}"})
    folder_id: str | None = Field(default=None)
    deleted_at: datetime | None


class MessageRow(Row, table=True):
    """A message. It is never changed after it was written, except for the reply of a running run."""

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE", index=True)
    pair_id: str | None = Field(foreign_key="pair.id", ondelete="CASCADE", index=True)
    role: str
    parts: list[Json] = Field(sa_type=JSON)
    created_at: datetime
    metadata_json: str = Field(sa_column_kwargs={"server_default": ""})


class PairRow(Row, table=True):
    """A pair. A unique partial index allows only one running pair per conversation, also with many processes.

    - `revision`: the revision of the conversation at the last change of this pair. A client that has the conversation
      at revision N needs only the pairs with a higher revision.
    - `request_id`, `reply_id`: the current messages of the pair.
    - `version`, `versions`: the number of the current version, and the number of versions.
    - `agent`: the agent's name when it answered.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "position"),
        Index(None, "conversation_id", "revision"),
        Index("ix_pair_trash", "owner", "deleted_at", sqlite_where=text(IS_DELETED)),
        # The migrations also create this index in PostgreSQL. Here, that would only load SQLAlchemy's dialect (2 MB).
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
    """A version of a pair that was sent more than once. `lifecycle` is None for the current version."""

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
    """A node: an entry between pairs, such as an accounting node. It is never sent.

    The content of `data` depends on `role`.
    """

    __table_args__ = (Index(None, "conversation_id", "after_position"),)

    id: str = Field(primary_key=True)
    owner: str
    conversation_id: str = Field(foreign_key="conversation.id", ondelete="CASCADE")
    after_position: int
    role: str
    data: Json = Field(sa_type=JSON)
    created_at: datetime


class RunRow(Row, table=True):
    """A run, with the data that its event log needs. The text is in the pair's reply.

    - `status`: `running`, or the final lifecycle of its pair.
    - `usage`, `stop_reason`, `failure`: the provider's report on the last call; None if it reported nothing.
    - `report_fault`: names the fields of the report that are not valid token counts.
    - `rounds`: the earlier calls, which ended in tool calls.
    - `purpose`: the purpose of all calls, as in the ledger.
    - `process_id`: the process that drives the run and must renew its heartbeat.
    - `sent`: the position ranges of the pairs in the request.
    - `replay_of`: the run whose reply was used again, without a call.
    - `prelude`: the text about the user that was sent.
    - `redacted`: the secrets that placeholders replaced; None if secrets were not searched for.
    - `chunk_count`, `last_chunk_at`: the number of received chunks and the time of the last one, stored when the run of
      a child conversation ends; None for other runs.
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
    chunk_count: int | None = Field(default=None)
    last_chunk_at: datetime | None = Field(default=None)


class SnapshotRow(Row, table=True):
    """The exact request of a pair that failed. The bytes of other requests are not stored."""

    pair_id: str = Field(foreign_key="pair.id", ondelete="CASCADE", primary_key=True)
    owner: str
    run_id: str
    model: str
    content_hash: str
    url: str
    headers: list[list[str]] = Field(sa_type=JSON)
    body: bytes = Field(sa_type=LargeBinary)
    created_at: datetime


PICTURE = "Picture"
"""The text that is shown for a request that is only a picture."""
_PARTS_READ = 4
"""Number of parts of a reply that are searched for its first text, because thinking or tool calls may come earlier."""


def first_words(parts: ColumnElement[Any], most: int) -> ColumnElement[str]:
    """Return SQL for the first `most` characters of a request: of its first part, if that is a text.

    If a request has no text, its first part is a file. Then the SQL returns the name of the file, or "Picture".

    The SQL checks that the column has valid JSON: otherwise SQLite would fail the whole query.
    """
    whole = _read_json(parts)
    kind, words, name = (whole[0, key].as_string() for key in ("type", "text", "name"))
    return func.substr(case((kind == "text", words), (kind == "image", PICTURE), else_=name), 1, most)


def first_text(parts: ColumnElement[Any], most: int) -> ColumnElement[str]:
    """Return SQL for the first `most` characters of a reply's text; NULL if none of its first parts is a text."""
    whole = _read_json(parts)
    texts = (
        case((whole[at, "type"].as_string() == "text", whole[at, "text"].as_string()), else_=None)
        for at in range(_PARTS_READ)
    )
    return func.substr(func.coalesce(*texts), 1, most)


def _read_json(parts: ColumnElement[Any]) -> Any:
    return type_coerce(case((func.json_valid(parts) == 1, parts), else_=None), JSON)


CONVERSATION = Row.metadata.tables["conversation"]
MESSAGE = Row.metadata.tables["message"]
PAIR = Row.metadata.tables["pair"]
RUN = Row.metadata.tables["run"]
SNAPSHOT = Row.metadata.tables["snapshot"]
VERSION = Row.metadata.tables["version"]
NODE = Row.metadata.tables["node"]
