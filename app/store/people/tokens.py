"""Queries of API tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.tokens import ApiToken, TokenScope
from app.store.database.mapping import Columns
from app.store.people.rows_people import PERSON
from app.store.people.rows_tokens import API_TOKEN

_ALIVE = API_TOKEN.c.revoked_at.is_(None)


async def insert_token(session: AsyncSession, token: ApiToken, token_hash: str) -> None:
    """Keep a new token."""
    await session.execute(
        insert(API_TOKEN).values(
            id=token.id,
            owner=token.owner,
            name=token.name,
            scopes=" ".join(token.scopes),
            token_hash=token_hash,
            hint=token.hint,
            created_at=token.created_at,
            expires_at=token.expires_at,
            used_at=token.used_at,
            revoked_at=None,
        )
    )


async def load_tokens(session: AsyncSession, owner: str) -> tuple[ApiToken, ...]:
    """The tokens of a person that are not revoked, newest first. Expired ones are among them."""
    query = select(API_TOKEN).where(API_TOKEN.c.owner == owner, _ALIVE).order_by(API_TOKEN.c.id.desc())
    return tuple(map(_decode, (await session.execute(query)).mappings()))


async def count_tokens(session: AsyncSession, owner: str) -> int:
    """How many tokens of a person are not revoked."""
    query = select(func.count()).select_from(API_TOKEN).where(API_TOKEN.c.owner == owner, _ALIVE)
    return (await session.execute(query)).scalar_one()


async def find_token(session: AsyncSession, token_hash: str, local_owner: str) -> ApiToken | None:
    """The token with this hash, also one that has expired; None: no such one, revoked, or its person is disabled."""
    query = _usable(select(API_TOKEN), local_owner).where(API_TOKEN.c.token_hash == token_hash)
    row = (await session.execute(query)).mappings().one_or_none()
    return None if row is None else _decode(row)


async def list_valid_tokens(
    session: AsyncSession, at: datetime, token_ids: Collection[str], local_owner: str
) -> frozenset[str]:
    """Which of these tokens are valid."""
    query = _usable(select(API_TOKEN.c.id), local_owner).where(API_TOKEN.c.id.in_(token_ids), _unexpired(at))
    return frozenset((await session.execute(query)).scalars())


async def touch_token(session: AsyncSession, token_id: str, at: datetime) -> None:
    """Note that a token was used."""
    await session.execute(update(API_TOKEN).where(API_TOKEN.c.id == token_id).values(used_at=at))


async def revoke_token(session: AsyncSession, owner: str, token_id: str, at: datetime) -> bool:
    """End a token; False: this person has no such one."""
    ended = await session.execute(
        update(API_TOKEN)
        .where(API_TOKEN.c.id == token_id, API_TOKEN.c.owner == owner, _ALIVE)
        .values(revoked_at=at)
        .returning(API_TOKEN.c.id)
    )
    return ended.one_or_none() is not None


def _usable(query: Select[Any], local_owner: str) -> Select[Any]:
    """Where accounts are off, the local owner is no person of the table."""
    known = or_(PERSON.c.disabled.is_(False), PERSON.c.id.is_(None) & (API_TOKEN.c.owner == local_owner))
    return query.join(PERSON, PERSON.c.id == API_TOKEN.c.owner, isouter=True).where(known, _ALIVE)


def _unexpired(at: datetime) -> ColumnElement[bool]:
    return or_(API_TOKEN.c.expires_at.is_(None), API_TOKEN.c.expires_at > at)


def _decode(row: Columns) -> ApiToken:
    return ApiToken(
        row["id"],
        row["owner"],
        row["name"],
        tuple(map(TokenScope, row["scopes"].split())),
        row["hint"],
        row["created_at"],
        row["expires_at"],
        row["used_at"],
    )
