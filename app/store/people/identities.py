"""Queries of accounts at a sign-in provider."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.people import Identity, LinkedIdentity
from app.store.people.rows_identities import LINKED_IDENTITY


async def find_linked(session: AsyncSession, issuer: str, subject: str) -> str | None:
    """The id of the person whom this account signs in; None: it is linked to none."""
    row = LINKED_IDENTITY.c
    query = select(row.person_id).where(row.issuer == issuer, row.subject == subject)
    return (await session.execute(query)).scalar_one_or_none()


async def insert_linked(session: AsyncSession, person_id: str, identity: Identity, at: datetime) -> None:
    """Have an account sign this person in."""
    await session.execute(
        insert(LINKED_IDENTITY).values(
            issuer=identity.issuer,
            subject=identity.subject,
            person_id=person_id,
            email=identity.email,
            linked_at=at,
        )
    )


async def load_linked(session: AsyncSession, person_id: str) -> tuple[LinkedIdentity, ...]:
    """The accounts that sign a person in, the oldest first."""
    row = LINKED_IDENTITY.c
    query = select(row.issuer, row.subject, row.email).where(row.person_id == person_id).order_by(row.linked_at)
    return tuple(LinkedIdentity(*one) for one in await session.execute(query))


async def delete_linked(session: AsyncSession, person_id: str, issuer: str, subject: str) -> None:
    """Have an account sign this person in no more."""
    row = LINKED_IDENTITY.c
    await session.execute(
        delete(LINKED_IDENTITY).where(row.person_id == person_id, row.issuer == issuer, row.subject == subject)
    )


async def delete_all_linked(session: AsyncSession, person_id: str) -> None:
    """Have no account at a provider sign this person in."""
    await session.execute(delete(LINKED_IDENTITY).where(LINKED_IDENTITY.c.person_id == person_id))
