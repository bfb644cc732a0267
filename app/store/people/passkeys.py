"""Queries of passkeys."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.passkeys import Passkey
from app.store.people.rows_passkeys import PASSKEY

_ROW = PASSKEY.c


async def load_passkeys(session: AsyncSession, person_id: str) -> tuple[Passkey, ...]:
    """A person's passkeys, the oldest first."""
    query = select(PASSKEY).where(_ROW.person_id == person_id).order_by(_ROW.created_at, _ROW.id)
    return tuple(_read(row) for row in (await session.execute(query)).mappings())


async def find_passkey(session: AsyncSession, credential_id: str) -> Passkey | None:
    """The passkey with this id of the browser's; None: nobody has it."""
    query = select(PASSKEY).where(_ROW.credential_id == credential_id)
    row = (await session.execute(query)).mappings().one_or_none()
    return None if row is None else _read(row)


async def count_passkeys(session: AsyncSession, person_id: str) -> int:
    """How many passkeys a person has."""
    query = select(func.count()).select_from(PASSKEY).where(_ROW.person_id == person_id)
    return (await session.execute(query)).scalar_one()


async def insert_passkey(session: AsyncSession, passkey: Passkey) -> None:
    """Have a passkey sign its person in."""
    values = asdict(passkey) | {"transports": " ".join(passkey.transports)}
    await session.execute(insert(PASSKEY).values(values))


async def use_passkey(session: AsyncSession, passkey_id: str, sign_count: int, at: datetime) -> bool:
    """Note that a passkey was used; False: its count of signatures did not grow, or it was removed.

    Passkeys that are kept on several devices do not count: theirs is always 0.
    """
    grows = _ROW.sign_count < sign_count if sign_count else _ROW.sign_count == 0
    used = await session.execute(
        update(PASSKEY).where(_ROW.id == passkey_id, grows).values(sign_count=sign_count, used_at=at).returning(_ROW.id)
    )
    return used.one_or_none() is not None


async def rename_passkey(session: AsyncSession, person_id: str, passkey_id: str, name: str) -> bool:
    """Give a passkey of this person another name; False: they have no such one."""
    mine = (_ROW.id == passkey_id, _ROW.person_id == person_id)
    renamed = await session.execute(update(PASSKEY).where(*mine).values(name=name).returning(_ROW.id))
    return renamed.one_or_none() is not None


async def delete_passkey(session: AsyncSession, person_id: str, passkey_id: str) -> bool:
    """Remove a passkey of this person; False: they have no such one."""
    mine = (_ROW.id == passkey_id, _ROW.person_id == person_id)
    deleted = await session.execute(delete(PASSKEY).where(*mine).returning(_ROW.id))
    return deleted.one_or_none() is not None


async def delete_all_passkeys(session: AsyncSession, person_id: str) -> None:
    """Have no passkey sign this person in."""
    await session.execute(delete(PASSKEY).where(_ROW.person_id == person_id))


def _read(row: RowMapping) -> Passkey:
    values: dict[str, Any] = {**row, "transports": tuple(row["transports"].split())}
    return Passkey(**values)
