"""Finds the pair and conversation of a damaged row, so that the user can find them on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Table, select, type_coerce
from sqlalchemy.types import NullType

from app.store.attachments.rows_attachment import ATTACHMENT_USE
from app.store.conversation.rows import CONVERSATION, PAIR, RUN


@dataclass(frozen=True, slots=True)
class DamagePlace:
    """The place of damage: a pair (`position`) of a conversation, a whole conversation, or unknown.

    `in_trash`: the pair or the conversation is in the trash.
    """

    conversation_id: str | None = None
    title: str | None = None
    position: int | None = None
    in_trash: bool = False


NOWHERE: Final = DamagePlace()


def find_place(connection: Connection, table: Table, row: Mapping[Any, Any]) -> DamagePlace:
    """Find the pair and the conversation that a row of this table belongs to."""
    if table is CONVERSATION:
        return of_conversation(connection, row["id"])
    if table.name == "attachment":
        used = select(ATTACHMENT_USE.c.conversation_id).where(
            ATTACHMENT_USE.c.attachment_id == row["id"], ATTACHMENT_USE.c.owner == row["owner"]
        )
        return of_conversation(connection, _first(connection, used))
    pair_id = row["id"] if table is PAIR else row.get("pair_id")
    if pair_id is None and (run_id := row.get("run_id")) is not None:
        pair_id = _first(connection, select(RUN.c.pair_id).where(RUN.c.id == run_id))
    if pair_id is not None and (place := of_pair(connection, pair_id)) != NOWHERE:
        return place
    return of_conversation(connection, row.get("conversation_id"))


def of_pair(connection: Connection, pair_id: Any) -> DamagePlace:
    """Find the position and the conversation of a pair. Return `NOWHERE` if the pair does not exist."""
    columns = (PAIR.c.position, PAIR.c.conversation_id, _is_deleted(PAIR))
    found = connection.execute(select(*columns).where(PAIR.c.id == pair_id)).first() if _can_be_id(pair_id) else None
    if found is None:
        return NOWHERE
    place = of_conversation(connection, found[1])
    position = found[0] if isinstance(found[0], int) else None
    return DamagePlace(place.conversation_id, place.title, position, in_trash=place.in_trash or bool(found[2]))


def of_conversation(connection: Connection, conversation_id: Any) -> DamagePlace:
    """Find a conversation with its title. Return `NOWHERE` if the conversation does not exist."""
    columns = (CONVERSATION.c.id, CONVERSATION.c.title, _is_deleted(CONVERSATION))
    query = select(*columns).where(CONVERSATION.c.id == conversation_id)
    found = connection.execute(query).first() if _can_be_id(conversation_id) else None
    if found is None:
        return NOWHERE
    return DamagePlace(found[0], found[1] if isinstance(found[1], str) else None, in_trash=bool(found[2]))


def _is_deleted(table: Table) -> ColumnElement[bool]:
    return type_coerce(table.c.deleted_at, NullType()).is_not(None)


def _first(connection: Connection, query: Select[Any]) -> Any:
    return connection.execute(query.limit(1)).scalar()


def _can_be_id(value: Any) -> bool:
    return isinstance(value, str)
