"""Queries of second steps and their recovery codes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.people.rows_second_steps import RECOVERY_CODE, SECOND_STEP


async def has_second_step(session: AsyncSession, person_id: str) -> bool:
    """Whether this person is asked for a code after the password."""
    query = select(SECOND_STEP.c.person_id).where(SECOND_STEP.c.person_id == person_id)
    return (await session.execute(query)).one_or_none() is not None


async def load_secret(session: AsyncSession, person_id: str) -> tuple[bytes | None, int] | None:
    """The encrypted secret (None: a backup left it out) and the time step of the last code; None: no second step."""
    query = select(SECOND_STEP.c.sealed_secret, SECOND_STEP.c.last_step).where(SECOND_STEP.c.person_id == person_id)
    row = (await session.execute(query)).one_or_none()
    return None if row is None else (row[0], row[1])


async def save_second_step(
    session: AsyncSession, person_id: str, sealed_secret: bytes, last_step: int, at: datetime
) -> None:
    """Turn the second step on, in the place of an earlier one. Its codes up to `last_step` count as used."""
    await session.execute(delete(SECOND_STEP).where(SECOND_STEP.c.person_id == person_id))
    await session.execute(
        insert(SECOND_STEP).values(person_id=person_id, sealed_secret=sealed_secret, last_step=last_step, created_at=at)
    )


async def use_time_step(session: AsyncSession, person_id: str, step: int) -> bool:
    """Note that the code of this time step was used; False: it was already, or a later one."""
    used = await session.execute(
        update(SECOND_STEP)
        .where(SECOND_STEP.c.person_id == person_id, SECOND_STEP.c.last_step < step)
        .values(last_step=step)
        .returning(SECOND_STEP.c.person_id)
    )
    return used.one_or_none() is not None


async def delete_second_step(session: AsyncSession, person_id: str) -> None:
    """Turn the second step off; its recovery codes go too."""
    await session.execute(delete(SECOND_STEP).where(SECOND_STEP.c.person_id == person_id))
    await session.execute(delete(RECOVERY_CODE).where(RECOVERY_CODE.c.person_id == person_id))


async def replace_recovery_codes(session: AsyncSession, person_id: str, hashes: Collection[str]) -> None:
    """Keep these codes in the place of the ones before."""
    await session.execute(delete(RECOVERY_CODE).where(RECOVERY_CODE.c.person_id == person_id))
    await session.execute(insert(RECOVERY_CODE), [{"code_hash": one, "person_id": person_id} for one in hashes])


async def use_recovery_code(session: AsyncSession, person_id: str, code_hash: str) -> bool:
    """Delete a recovery code; False: this person has no such one."""
    used = await session.execute(
        delete(RECOVERY_CODE)
        .where(RECOVERY_CODE.c.code_hash == code_hash, RECOVERY_CODE.c.person_id == person_id)
        .returning(RECOVERY_CODE.c.code_hash)
    )
    return used.one_or_none() is not None


async def count_recovery_codes(session: AsyncSession, person_id: str) -> int:
    """How many recovery codes a person has left."""
    query = select(func.count()).select_from(RECOVERY_CODE).where(RECOVERY_CODE.c.person_id == person_id)
    return (await session.execute(query)).scalar_one()
