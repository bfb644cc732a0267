"""Queries of prompts."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ColumnElement, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.pattern import fold
from app.domain.prompts.prompts import Prompt
from app.store.organise.rows_prompts import PROMPT


async def load_prompts(session: AsyncSession, owner: str) -> tuple[Prompt, ...]:
    """An owner's prompts by folder and name, those in no folder first, without those that were deleted."""
    return await _load_sorted(session, PROMPT.c.owner == owner)


async def load_usable_prompts(session: AsyncSession, owner: str) -> tuple[Prompt, ...]:
    """The prompts that a person may use, by folder and name: their own and those that others share."""
    return await _load_sorted(session, _usable(owner))


async def load_usable_prompt(session: AsyncSession, owner: str, prompt_id: str) -> Prompt:
    """One prompt that a person may use.

    Raises:
        NotFoundError: there is none of that id, or it is another's and not shared.
    """
    query = select(PROMPT).where(PROMPT.c.id == prompt_id, _usable(owner), PROMPT.c.deleted_at.is_(None))
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("prompt", prompt_id)
    return Prompt(**row)


def _usable(owner: str) -> ColumnElement[bool]:
    return or_(PROMPT.c.owner == owner, PROMPT.c.shared_at.is_not(None))


async def _load_sorted(session: AsyncSession, which: ColumnElement[bool]) -> tuple[Prompt, ...]:
    rows = (await session.execute(select(PROMPT).where(which, PROMPT.c.deleted_at.is_(None)))).mappings()
    found = (Prompt(**row) for row in rows)
    return tuple(sorted(found, key=lambda one: (fold(one.folder), one.folder, fold(one.name))))


async def load_prompt(session: AsyncSession, owner: str, prompt_id: str, *, deleted: bool = False) -> Prompt:
    """One prompt; `deleted`: one that was deleted.

    Raises:
        NotFoundError: there is none of that id in that state, or it is another's.
    """
    state = PROMPT.c.deleted_at.is_not(None) if deleted else PROMPT.c.deleted_at.is_(None)
    query = select(PROMPT).where(PROMPT.c.id == prompt_id, PROMPT.c.owner == owner, state)
    if (row := (await session.execute(query)).mappings().one_or_none()) is None:
        raise NotFoundError("prompt", prompt_id)
    return Prompt(**row)


async def insert_prompt(session: AsyncSession, prompt: Prompt) -> None:
    await session.execute(insert(PROMPT).values(**asdict(prompt)))


async def save_prompt(session: AsyncSession, prompt: Prompt) -> None:
    """Write all of a prompt that exists."""
    await session.execute(update(PROMPT).where(PROMPT.c.id == prompt.id).values(**asdict(prompt)))


async def forget_prompt(session: AsyncSession, owner: str, prompt_id: str) -> None:
    """Delete for good a prompt that was deleted."""
    here = PROMPT.c.id == prompt_id, PROMPT.c.owner == owner, PROMPT.c.deleted_at.is_not(None)
    await session.execute(delete(PROMPT).where(*here))


async def set_prompt_deleted(session: AsyncSession, owner: str, prompt_id: str, at: datetime | None) -> None:
    """Delete a prompt, or (`at` None) restore it.

    Raises:
        NotFoundError: there is none of that id in that state, or it is another's.
    """
    state = PROMPT.c.deleted_at.is_not(None) if at is None else PROMPT.c.deleted_at.is_(None)
    statement = update(PROMPT).where(PROMPT.c.id == prompt_id, PROMPT.c.owner == owner, state).values(deleted_at=at)
    if (await session.execute(statement.returning(PROMPT.c.id))).one_or_none() is None:
        raise NotFoundError("prompt", prompt_id)
