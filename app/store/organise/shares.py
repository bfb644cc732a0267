"""Queries of shares. A share opens nothing while its conversation is in the trash."""

from __future__ import annotations

import zlib
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.sharing.shares import Share, ShareChoice
from app.store.conversation.rows import CONVERSATION
from app.store.conversation.wanted import IN_VIEW
from app.store.database.mapping import Columns
from app.store.organise.rows_shares import SHARE

_SHOWN = tuple(column for column in SHARE.c if column.name not in {"token_hash", "page"})


async def insert_share(session: AsyncSession, share: Share, token_hash: str, page: bytes) -> None:
    """Keep a share with its page, which `compress_page` made."""
    await session.execute(insert(SHARE).values(**asdict(share), token_hash=token_hash, page=page))


async def load_shares(
    session: AsyncSession, owner: str, now: datetime, conversation_id: str | None = None
) -> tuple[Share, ...]:
    """The shares of an owner that open something, the newest first."""
    query = select(*_SHOWN).join(CONVERSATION).where(SHARE.c.owner == owner, _opens(now))
    if conversation_id is not None:
        query = query.where(SHARE.c.conversation_id == conversation_id)
    rows = (await session.execute(query.order_by(SHARE.c.created_at.desc(), SHARE.c.id.desc()))).mappings()
    return tuple(map(_decode, rows))


async def load_page(session: AsyncSession, token_hash: str, now: datetime) -> tuple[str, bytes] | None:
    """The id and the compressed page of the share with this hash; None: it opens nothing, for whatever reason."""
    query = select(SHARE.c.id, SHARE.c.page).join(CONVERSATION).where(SHARE.c.token_hash == token_hash, _opens(now))
    row = (await session.execute(query)).one_or_none()
    return None if row is None else (row.id, row.page)


async def count_view(session: AsyncSession, share_id: str) -> None:
    """Note that the page was opened once more."""
    await session.execute(update(SHARE).where(SHARE.c.id == share_id).values(views=SHARE.c.views + 1))


async def delete_share(session: AsyncSession, owner: str, share_id: str) -> None:
    """Delete a share with its page.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    statement = delete(SHARE).where(SHARE.c.id == share_id, SHARE.c.owner == owner)
    if (await session.execute(statement.returning(SHARE.c.id))).one_or_none() is None:
        raise NotFoundError("share", share_id)


async def delete_expired(session: AsyncSession, now: datetime) -> int:
    """Delete the shares that have expired; how many that was."""
    gone = await session.execute(delete(SHARE).where(SHARE.c.expires_at <= now).returning(SHARE.c.id))
    return len(gone.all())


def compress_page(page: str) -> bytes:
    """A page as it is stored."""
    return zlib.compress(page.encode())


def decompress_page(page: bytes) -> bytes:
    """A page as it is sent."""
    return zlib.decompress(page)


def _opens(now: datetime) -> ColumnElement[bool]:
    return (SHARE.c.expires_at > now) & IN_VIEW


def _decode(row: Columns) -> Share:
    kept = dict(row)
    return Share(choice=ShareChoice(**kept.pop("choice")), **kept)
