"""Finds rows that refer to a missing row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Integer, exists, func, literal_column, select, union

from app.domain.attachments.attachments import list_named
from app.domain.conversation.conversation import Role
from app.domain.conversation.damage import Damage
from app.store.attachments.attachments import NOT_THERE
from app.store.attachments.rows_attachment import ATTACHMENT
from app.store.attachments.rows_upload import UPLOAD
from app.store.conversation.rows import MESSAGE, PAIR, RUN, VERSION
from app.store.database.damage import Unreadable, raw_bytes
from app.store.database.mapping import read_message
from app.store.database.row_names import name_row, show_id
from app.store.diagnosis.places import NOWHERE, DamagePlace, find_place, of_pair
from app.store.tables import Row
from app.store.topics.rows_topics import TOPIC
from app.store.topics.topics import NO_TOPIC

Found = Iterator[tuple[Damage, DamagePlace]]

_NAMED: Final = (("request_id", MESSAGE), ("reply_id", MESSAGE), ("run_id", RUN))
"""The columns of pairs and versions that refer to other rows without a foreign key."""


def find_missing_rows(connection: Connection) -> Found:
    """Find rows that are missing, although pairs, versions, drafts or foreign keys refer to them."""
    for column, target in _NAMED:
        names = union(
            select(PAIR.c.id.label("pair_id"), PAIR.c[column].label("named")),
            select(VERSION.c.pair_id, VERSION.c[column]),
        ).subquery()
        lost = select(names).where(names.c.named.is_not(None), ~exists().where(target.c.id == names.c.named))
        for pair_id, named in connection.execute(lost):
            damage = Damage(target.name, show_id(named), "id", "its pair refers to it, but it is missing", None)
            yield damage, of_pair(connection, pair_id)
    for (named,) in connection.execute(select(UPLOAD.c.attachment_id).where(lost_its_file())):
        yield Damage("attachment", show_id(named), "data", "its draft refers to it, but it is missing", None), NOWHERE
    lost_topics = select(PAIR.c.id, PAIR.c.topic).where(names_no_topic())
    for pair_id, named in connection.execute(lost_topics):
        if isinstance(named, Unreadable):
            continue  # another check reports a topic id that is not a text
        damage = Damage("pair", show_id(pair_id), "topic", NO_TOPIC, len(raw_bytes(named)))
        yield damage, of_pair(connection, pair_id)
    yield from _find_broken_keys(connection)


def lost_its_file() -> ColumnElement[bool]:
    """Return the SQL condition for an upload in a draft whose bytes are missing.

    An upload that was sent needs no bytes: its message has the text, or names the attachment.
    """
    stored = exists().where(ATTACHMENT.c.id == UPLOAD.c.attachment_id, ATTACHMENT.c.owner == UPLOAD.c.owner)
    return UPLOAD.c.taken_by.is_(None) & ~stored


def names_no_topic() -> ColumnElement[bool]:
    """Return the SQL condition for a pair whose topic does not exist.

    Another check reports a topic id that is not a text.
    """
    stored = exists().where(TOPIC.c.id == PAIR.c.topic, TOPIC.c.owner == PAIR.c.owner)
    return (func.typeof(PAIR.c.topic) == "text") & ~stored


def find_missing_attachments(connection: Connection, row: Mapping[Any, Any]) -> Found:
    """Find missing attachments that this message names."""
    message, _ = read_message(row["id"], row["role"] or "", row["parts"], row["created_at"], expected=Role.USER)
    for named in dict.fromkeys(list_named(message.parts)):
        stored = select(ATTACHMENT.c.id).where(ATTACHMENT.c.id == named, ATTACHMENT.c.owner == row["owner"])
        if connection.execute(stored).first() is None:
            yield Damage("attachment", show_id(named), "data", NOT_THERE, None), find_place(connection, MESSAGE, row)


def _find_broken_keys(connection: Connection) -> Found:
    for name, rowid, parent, number in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        keys = connection.exec_driver_sql(f"PRAGMA foreign_key_list({name})").mappings()
        column = next(key["from"] for key in keys if key["id"] == number)
        table = Row.metadata.tables[name]
        place: ColumnElement[int] = literal_column(f"{name}.rowid", Integer)
        row = connection.execute(select(table, place.label("rowid")).where(place == rowid)).mappings().one()
        reason = f"it refers to a {parent} that does not exist"
        damage = Damage(name, name_row(table, row), column, reason, len(raw_bytes(row[column])))
        yield damage, find_place(connection, table, row)
