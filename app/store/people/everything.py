"""Reads everything about a person for their archive. Secrets and hashes of secrets stay here.

    for table in list_tables():
        async for row in read_rows(session, table, person_id): ...

Every table is one of these, by a column `owner`, `person_id` or `person` or by what its rows hang on, but for those
that `WITHHELD` names: a new one is read without being named here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import ColumnElement, LargeBinary, Table, literal, or_, select, true, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.conversation.conversations import IN_VIEW
from app.store.conversation.rows import CONVERSATION
from app.store.people.rows_people import PERSON
from app.store.tables import Row

_SECRET: Final = frozenset({"password_hash", "token_hash", "code_hash", "salt"})
_SEALED: Final = "sealed_"
WITHHELD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "invitation": "One-time secrets.",
        "recovery_code": "One-time secrets.",
        "sign_in_step": "One-time secrets.",
        "deleted_person": "Who is deleted gets no archive.",
        "role_budget": "Settings of the installation.",
        "role_models": "Settings of the installation.",
        "pair_size": "Sizes of messages, which are there themselves.",
        "pair_text": "What is looked for in messages, which are there themselves.",
        "forgotten_piece": "Hashes of what is gone.",
    }
)
"""Tables that are not in the archive, and why."""
_ROWS_AT_ONCE: Final = 200
_LARGE_AT_ONCE: Final = 4
"""Of tables with bytes: a row may have 20 MB."""


def list_tables() -> tuple[Table, ...]:
    """The tables that have rows about a person, that of persons first."""
    found = (table for table in Row.metadata.sorted_tables if table is not PERSON and table.name not in WITHHELD)
    return (PERSON, *found)


async def read_rows(session: AsyncSession, table: Table, person_id: str) -> AsyncIterator[dict[str, Any]]:
    """The rows of a table about a person, without its secrets."""
    shown = [one for one in table.c if one.name not in _SECRET and not one.name.startswith(_SEALED)]
    keys = tuple(table.primary_key)
    at_once = _LARGE_AT_ONCE if any(isinstance(one.type, LargeBinary) for one in shown) else _ROWS_AT_ONCE
    query = select(*shown, *(key.label(f"key_{key.name}") for key in keys)).where(_about(table, person_id))
    after: ColumnElement[bool] = true()
    while rows := (await session.execute(query.where(after).order_by(*keys).limit(at_once))).mappings().all():
        for row in rows:
            yield {column.name: row[column.name] for column in shown}
        last = (literal(rows[-1][f"key_{key.name}"], key.type) for key in keys)
        after = tuple_(*keys) > tuple_(*last)


async def list_conversations(session: AsyncSession, person_id: str) -> tuple[str, ...]:
    """The ids of a person's conversations that are not in the trash, oldest first."""
    query = select(CONVERSATION.c.id).where(CONVERSATION.c.owner == person_id, IN_VIEW)
    return tuple((await session.execute(query.order_by(CONVERSATION.c.created_at, CONVERSATION.c.id))).scalars())


def _about(table: Table, person_id: str) -> ColumnElement[bool]:
    if table is PERSON:
        return PERSON.c.id == person_id
    if table.name == "audit":  # what others did to them is about them as well
        return or_(table.c.person == person_id, table.c.subject == person_id)
    if mine := [table.c[name] == person_id for name in ("owner", "person_id") if name in table.c]:
        return or_(*mine)  # a grant is about the person who gives it and the one who has it
    for key in table.foreign_keys:
        if "owner" in (above := key.column.table).c:
            return key.parent.in_(select(key.column).where(above.c.owner == person_id))
    raise LookupError(table.name)  # whose its rows are nobody can say: withhold it, with a reason
