"""Repairs the damage of a database that can be repaired without a loss, for `inview doctor --mend`.

    done = mend(url, folder)
    done.sentences           # ("The search index was built again: 2 entries.", …)
    done.kept                # a file with the original rows that were changed or deleted; None: there were none

Everything is one transaction. The file is written before the transaction is committed. The file has the stored form of
each row that was changed or deleted. It does not have the values that Inview computes again: the rows of the indexes
and of the search, the sums of the ledger, and the sizes of attachments.

No entry of the ledger and no node is deleted here, so that no cost is lost.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import orjson
from sqlalchemy import (
    Connection,
    Integer,
    Table,
    delete,
    func,
    insert,
    literal_column,
    select,
    type_coerce,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import NullType

from app.domain.conversation.damage import SETTINGS, list_damaged_settings
from app.domain.errors import StoreError
from app.store.agents.agents import decode_agent, encode_agent
from app.store.agents.rows_agents import AGENT
from app.store.attachments.rows_attachment import ATTACHMENT
from app.store.attachments.rows_upload import UPLOAD
from app.store.cache.rows_keep_warm import KEEP_WARM
from app.store.conversation.rows import CONVERSATION, NODE, PAIR
from app.store.conversation.rows_folders import FOLDER
from app.store.database.damage import Unreadable, raw_bytes
from app.store.database.database import explain_fault, make_mending_engine
from app.store.database.mapping import decode_conversation, encode_conversation
from app.store.database.presence import claim_alone
from app.store.database.row_names import name_row
from app.store.diagnosis.references import lost_its_file, names_no_topic
from app.store.diagnosis.rows import examine
from app.store.filters.rows_filters import APPLIED_FILTER, SAVED_FILTER
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT
from app.store.index.rows_search import INDEX_NAME, LEFT_OVER, SEARCH_TEXT, enter_words
from app.store.ledger.rollups import insert_sums, select_faults
from app.store.ledger.rows_budgets import BUDGET
from app.store.ledger.rows_ledger import USAGE_ACCOUNT, USAGE_DAY
from app.store.ledger.rows_prices import PRICE
from app.store.settings.rows_settings import PREFERENCE, PROVIDER_SETTING
from app.store.tables import Row
from app.store.tools.rows_permissions import CONVERSATION_RULE, PERMISSION_RULE
from app.store.topics.rows_topics import TOPIC

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_KEYS: Final = frozenset({"id", "owner"})
_ENTERED: Final[Mapping[Table, str]] = MappingProxyType(
    {
        BUDGET: "The budget",
        PRICE: "The price of your own",
        PROVIDER_SETTING: "The key or the address of a provider",
        PERMISSION_RULE: "The permission",
        CONVERSATION_RULE: "The permission for a conversation",
        SAVED_FILTER: "The saved filter",
        APPLIED_FILTER: "The filter of the history",
        KEEP_WARM: "The setting to keep a conversation warm",
    }
)
"""Tables of settings that a person can enter again. Unreadable rows are removed."""
BUILT: Final = frozenset({PAIR_TEXT, PAIR_SIZE, SEARCH_TEXT})
"""Tables that are built from other tables."""


@dataclass(slots=True)
class Mended:
    """The result of a repair: `sentences` that describe the changes.

    `kept` is the file with the original rows, if any.
    """

    sentences: list[str] = field(default_factory=list[str])
    kept: Path | None = None


@dataclass(slots=True)
class _Mending:
    connection: Connection
    sentences: list[str] = field(default_factory=list[str])
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def keep(self, table: Table, rowid: int) -> None:
        """Remember the stored form of a row before the row is changed or deleted.

        All remembered rows are written to a file at the end.
        """
        columns = (type_coerce(column, NullType()).label(column.name) for column in table.c)
        row = self.connection.execute(select(*columns).where(_rowid(table) == rowid)).mappings().one()
        self.rows.append({"table": table.name, "row": {name: _plain_value(value) for name, value in row.items()}})

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


def mend(url: str, folder: Path) -> Mended:
    """Repair a database whose schema has the newest revision. A server that starts meanwhile waits.

    Raises:
        StoreError: the database cannot be opened or written, or a server uses it. Nothing was changed.
    """
    with claim_alone(url):
        return _mend(url, folder)


def _mend(url: str, folder: Path) -> Mended:
    engine = make_mending_engine(url)
    try:
        with engine.begin() as connection:
            mending = _Mending(connection)
            _reset_settings(mending)
            _reset_preferences(mending)
            _reset_agents(mending)
            _reset_topics(mending)
            _reset_folders(mending)
            _reset_filters(mending)
            _make_missing_topics(mending)
            _delete_unusable(mending)
            _add_up_usage(mending)
            _raise_revisions(mending)
            _correct_sizes(mending)
            _delete_lost_uploads(mending)
            _delete_orphans(mending)
            _delete_damaged_indexes(mending)
            _enter_titles(mending)
            _enter_words(mending)
            kept = _write(folder, mending.rows) if mending.rows else None
        return Mended(mending.sentences, kept)
    except DBAPIError as error:
        raise explain_fault(engine, "mended", error) from error
    finally:
        engine.dispose()


def _reset_settings(mending: _Mending) -> None:
    for rowid, row in _rows_of(mending, CONVERSATION):
        conversation = decode_conversation(row)
        damaged = list_damaged_settings(conversation.damage)
        if not damaged:
            continue
        neutral = encode_conversation(conversation)
        changes = {one.column: neutral[one.column] for one in damaged}
        if {"summary", "summary_position"} & changes.keys():  # summary and position are one setting
            changes |= {"summary": None, "summary_position": None}
        _reset_columns(mending, CONVERSATION, rowid, changes)
        names = dict.fromkeys(SETTINGS[one.column] for one in damaged)
        _say_reset(mending, names, f"conversation {name_row(CONVERSATION, row)}")


def _reset_preferences(mending: _Mending) -> None:
    for rowid, row in _rows_of(mending, PREFERENCE):
        if not examine(PREFERENCE, row):
            continue
        mending.keep(PREFERENCE, rowid)
        mending.connection.execute(delete(PREFERENCE).where(_rowid(PREFERENCE) == rowid))
        mending.say(f"Preference number {rowid} could not be read and has its default again.")


def _reset_agents(mending: _Mending) -> None:
    """Reset the unreadable columns of agents. An agent without readable permissions for tools may call none."""
    for rowid, row in _rows_of(mending, AGENT):
        if damaged := _damaged_columns(AGENT, row):
            neutral = encode_agent(decode_agent(row))
            _reset_columns(mending, AGENT, rowid, {column: neutral[column] for column in damaged})
            _say_reset(mending, damaged, f"agent {name_row(AGENT, row)}")


def _reset_topics(mending: _Mending) -> None:
    for rowid, row in _rows_of(mending, TOPIC):
        if damaged := _damaged_columns(TOPIC, row):
            neutral = {"name": f"Topic {rowid}", "parent_id": None, "place": 0, "created_at": EPOCH, "used_at": EPOCH}
            _reset_columns(mending, TOPIC, rowid, {column: neutral[column] for column in damaged})
            _say_reset(mending, damaged, f"topic {rowid}")


def _reset_folders(mending: _Mending) -> None:
    """Reset the unreadable columns of folders. A folder whose time of deletion is unreadable is restored."""
    for rowid, row in _rows_of(mending, FOLDER):
        if damaged := _damaged_columns(FOLDER, row):
            neutral = {"name": _free_name(mending, FOLDER, f"Folder {rowid}"), "metadata_json": "", "deleted_at": None}
            neutral |= {"created_at": EPOCH, "updated_at": EPOCH}
            _reset_columns(mending, FOLDER, rowid, {column: neutral[column] for column in damaged})
            _say_reset(mending, damaged, f"folder {name_row(FOLDER, row)}")


def _reset_filters(mending: _Mending) -> None:
    """Reset the unreadable name or time of saved filters with a readable text. No other filter has the new name."""
    for rowid, row in _rows_of(mending, SAVED_FILTER):
        damaged = _damaged_columns(SAVED_FILTER, row)
        if damaged and {"owner", "filter"}.isdisjoint(one.column for one in examine(SAVED_FILTER, row)):
            neutral = {"name": _free_name(mending, SAVED_FILTER, f"filter-{rowid}"), "updated_at": EPOCH}
            _reset_columns(mending, SAVED_FILTER, rowid, {column: neutral[column] for column in damaged})
            _say_reset(mending, damaged, f"saved filter number {rowid}")


def _make_missing_topics(mending: _Mending) -> None:
    """Create missing topics that pairs refer to, so that the pairs of one topic stay together.

    If the id of any topic cannot be read, no topic is created: the pairs may belong to that topic.
    """
    if _has_unreadable_id(mending, TOPIC):
        return
    lost = select(PAIR.c.owner, PAIR.c.topic).where(names_no_topic()).distinct().order_by(PAIR.c.topic)
    for number, (owner, topic_id) in enumerate(mending.connection.execute(lost).all(), start=1):
        if not isinstance(owner, str) or not isinstance(topic_id, str):
            continue
        name = _free_name(mending, TOPIC, f"Missing topic {number}")
        row = {"id": topic_id, "owner": owner, "name": name, "parent_id": None, "place": 0}
        mending.connection.execute(insert(TOPIC).values(**row, created_at=EPOCH, used_at=EPOCH))
        mending.say(f"A topic of some pairs was missing. It was created again as “{name}”.")


def _free_name(mending: _Mending, table: Table, base: str) -> str:
    taken = {row["name"] for _, row in _rows_of(mending, table) if isinstance(row["name"], str)}
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def _damaged_columns(table: Table, row: Mapping[Any, Any]) -> list[str]:
    """List the columns of a row that cannot be read, except its keys."""
    return list(dict.fromkeys(one.column for one in examine(table, row) if one.column not in _KEYS))


def _reset_columns(mending: _Mending, table: Table, rowid: int, neutral: Mapping[str, Any]) -> None:
    mending.keep(table, rowid)
    mending.connection.execute(update(table).where(_rowid(table) == rowid).values(**neutral))


def _say_reset(mending: _Mending, names: Iterable[str], of: str) -> None:
    for name in names:
        mending.say(f"Reset the {name.replace('_', ' ')} of {of}, which could not be read.")


def _delete_unusable(mending: _Mending) -> None:
    """Delete unreadable settings that the user can enter again: while they are stored, many requests fail."""
    for table, what in _ENTERED.items():
        for rowid, row in _rows_of(mending, table):
            if not examine(table, row):
                continue
            mending.keep(table, rowid)
            mending.connection.execute(delete(table).where(_rowid(table) == rowid))
            mending.say(f"{what} number {rowid} could not be read and was removed. Enter it again.")


def _raise_revisions(mending: _Mending) -> None:
    """Raise a conversation's revision above the revisions of its pairs, if it is lower or cannot be read."""
    highest = func.max(type_coerce(PAIR.c.revision, Integer)).filter(func.typeof(PAIR.c.revision) == "integer")
    for rowid, row in _rows_of(mending, CONVERSATION):
        of_pairs = select(highest).where(PAIR.c.conversation_id == _plain(row["id"]))
        newest = mending.connection.execute(of_pairs).scalar() or 0
        stored = row["revision"]
        if isinstance(stored, int) and stored >= newest:
            continue
        mending.keep(CONVERSATION, rowid)
        changed = update(CONVERSATION).where(_rowid(CONVERSATION) == rowid).values(revision=newest + 1)
        mending.connection.execute(changed)
        mending.say(f"The revision of conversation {name_row(CONVERSATION, row)} was computed again.")


def _correct_sizes(mending: _Mending) -> None:
    """Compute the size of attachments again if it is wrong and their bytes are intact."""
    data, size = ATTACHMENT.c.data, type_coerce(ATTACHMENT.c.size, NullType())
    wrong = (func.typeof(data) == "blob") & (func.length(data) != size)
    query = select(_rowid(ATTACHMENT).label("rowid"), ATTACHMENT.c.id, data).where(wrong)
    for rowid, attachment_id, stored in mending.connection.execute(query).all():
        if sha256(stored).hexdigest() == attachment_id:
            mending.connection.execute(update(ATTACHMENT).where(_rowid(ATTACHMENT) == rowid).values(size=len(stored)))
            mending.say(f"The size of attachment {attachment_id} was computed again.")


def _delete_lost_uploads(mending: _Mending) -> None:
    lost = select(_rowid(UPLOAD)).select_from(UPLOAD).where(lost_its_file())
    for (rowid,) in mending.connection.execute(lost).all():
        mending.keep(UPLOAD, rowid)
        mending.connection.execute(delete(UPLOAD).where(_rowid(UPLOAD) == rowid))
        mending.say("A file of a draft had no data and was removed from the draft.")


def _delete_orphans(mending: _Mending) -> None:
    """Delete rows with a foreign key to a missing row, because no page can show such rows.

    A topic whose parent is missing is not deleted, but moved to the first level. A node stays, because it may have a
    cost. The ledger has no foreign keys. If a table has a row with an unreadable id, all rows that refer to this table
    stay too: they may refer to that row.
    """
    tables = Row.metadata.sorted_tables
    kept = {NODE.name}, {table.name for table in tables if "id" in table.c and _has_unreadable_id(mending, table)}
    check = "PRAGMA foreign_key_check"
    while found := [
        one for one in mending.connection.exec_driver_sql(check) if one[0] not in kept[0] and one[2] not in kept[1]
    ]:
        for name, rowid in dict.fromkeys((name, rowid) for name, rowid, *_ in found):
            table = Row.metadata.tables[name]
            if table not in BUILT:
                mending.keep(table, rowid)
            if table is TOPIC:
                mending.connection.execute(update(TOPIC).where(_rowid(TOPIC) == rowid).values(parent_id=None))
                mending.say(f"Topic {rowid} referred to a topic that does not exist, and was moved to the first level.")
                continue
            mending.connection.execute(delete(table).where(_rowid(table) == rowid))
            mending.say(f"Row {rowid} of {name} referred to a row that does not exist, and was deleted.")


def _has_unreadable_id(mending: _Mending, table: Table) -> bool:
    return any(one.column == "id" for _, row in _rows_of(mending, table) for one in examine(table, row))


def _add_up_usage(mending: _Mending) -> None:
    """Compute a table of sums again if it differs from the ledger."""
    for table in (USAGE_DAY, USAGE_ACCOUNT):
        if mending.connection.execute(select_faults(table)).first() is None:
            continue
        mending.connection.execute(delete(table))
        mending.connection.execute(insert_sums(table))
        mending.say(f"The sums in {table.name} were computed again from the ledger.")


def _delete_damaged_indexes(mending: _Mending) -> None:
    """Delete damaged rows of the indexes. They are made again when the conversation is read next."""
    for table in (PAIR_TEXT, PAIR_SIZE):
        damaged = [rowid for rowid, row in _rows_of(mending, table) if examine(table, row)]
        for rowid in damaged:
            mending.connection.execute(delete(table).where(_rowid(table) == rowid))
        if damaged:
            mending.say(
                f"Damaged rows of {table.name} were deleted and will be built again when needed: {len(damaged):,}."
            )


def _enter_titles(mending: _Mending) -> None:
    """Add missing titles to the search, correct those that differ, and remove those that cannot be read."""
    entered = 0
    for _, row in _rows_of(mending, CONVERSATION):
        title = row["title"] if isinstance(row["title"], str) else ""
        names = {"owner": _plain(row["owner"]), "conversation_id": _plain(row["id"])}
        of_title = (SEARCH_TEXT.c.conversation_id == names["conversation_id"]) & SEARCH_TEXT.c.pair_id.is_(None)
        stored = mending.connection.execute(select(SEARCH_TEXT.c.words).where(of_title)).scalars().all()
        if list(stored) == ([title] if title else []):
            continue
        mending.connection.execute(delete(SEARCH_TEXT).where(of_title))
        if title:
            mending.connection.execute(insert(SEARCH_TEXT).values(**names, words=title))
        entered += 1
    if entered:
        mending.say(f"The titles of conversations were added to the search again: {entered:,}.")


def _enter_words(mending: _Mending) -> None:
    """Add missing texts of pairs to the search and correct those that differ. Then check the full-text index."""
    entered = mending.connection.exec_driver_sql(LEFT_OVER).rowcount
    entered += mending.connection.exec_driver_sql(enter_words("1")[:-1] + CHANGED).rowcount
    if entered:
        mending.say(f"The texts of pairs were added to the search again: {entered:,}.")
    check = f"INSERT INTO {INDEX_NAME} ({INDEX_NAME}, rank) VALUES ('integrity-check', 1)"  # noqa: S608
    try:
        mending.connection.exec_driver_sql(check)
    except DBAPIError as error:
        if "malformed" not in str(error.orig):
            raise
        mending.connection.exec_driver_sql(f"INSERT INTO {INDEX_NAME} ({INDEX_NAME}) VALUES ('rebuild')")  # noqa: S608
        mending.say("The full-text index of the search was rebuilt.")


CHANGED: Final = " WHERE search_text.words IS NOT excluded.words"


def _write(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Write these rows to a new file that only its owner can read, one JSON object per line."""
    path = folder / f"mended-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.jsonl"
    try:
        path.touch(0o600, exist_ok=False)
        with path.open("wb") as file:
            file.writelines(orjson.dumps(row) + b"\n" for row in rows)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(
            f"The original rows could not be saved to {path}: {error.strerror}. Nothing was changed.",
            "Allow Inview to write to its folder, and free disk space.",
        ) from error
    return path


def _rows_of(mending: _Mending, table: Table) -> Iterator[tuple[int, Mapping[Any, Any]]]:
    """Yield all rows of a table. All are read at once, before the caller changes the first one."""
    for row in mending.connection.execute(select(table, _rowid(table).label("rowid"))).mappings().all():
        yield row["rowid"], row


def _rowid(table: Table) -> Any:
    return literal_column(f"{table.name}.rowid", Integer)


def _plain(stored: Any) -> Any:
    return stored.raw if isinstance(stored, Unreadable) else stored


def _plain_value(value: Any) -> Any:
    return {"base64": b64encode(raw_bytes(value)).decode()} if isinstance(value, bytes | Unreadable) else value
