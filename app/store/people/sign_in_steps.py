"""Queries of sign-ins that are under way."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.people.rows_second_steps import SIGN_IN_STEP

Found = tuple[str | None, bytes | None]
"""The person and the encrypted data of a step."""


async def insert_step(session: AsyncSession, token_hash: str, kind: str, found: Found, expires_at: datetime) -> None:
    """Keep what waits for its next step."""
    await session.execute(
        insert(SIGN_IN_STEP).values(
            token_hash=token_hash, kind=kind, person_id=found[0], sealed_data=found[1], expires_at=expires_at
        )
    )


async def find_step(session: AsyncSession, token_hash: str, kind: str, at: datetime) -> Found | None:
    """What waits under this token; None: it was taken, has expired, or never was."""
    step = SIGN_IN_STEP.c
    query = select(step.person_id, step.sealed_data).where(
        step.token_hash == token_hash, step.kind == kind, step.expires_at > at
    )
    row = (await session.execute(query)).one_or_none()
    return None if row is None else (row[0], row[1])


async def take_step(session: AsyncSession, token_hash: str, kind: str, at: datetime) -> Found | None:
    """The same, and delete it: of two who take it, one gets it."""
    step = SIGN_IN_STEP.c
    taken = await session.execute(
        delete(SIGN_IN_STEP)
        .where(step.token_hash == token_hash, step.kind == kind, step.expires_at > at)
        .returning(step.person_id, step.sealed_data)
    )
    row = taken.one_or_none()
    return None if row is None else (row[0], row[1])


async def delete_expired_steps(session: AsyncSession, at: datetime) -> None:
    """Delete what nobody went on with in time."""
    await session.execute(delete(SIGN_IN_STEP).where(SIGN_IN_STEP.c.expires_at <= at))
