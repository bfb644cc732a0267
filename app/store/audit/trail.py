"""The queue of the audit trail: entries that are inserted with the next transaction that commits.

    trail = Trail()
    store.companions.append(trail)
    trail.note(entry)            # entered with the next transaction, whatever it is for
    ask(entry, trail)            # entered with the first transaction of this task: that of what the entry describes

A change is so never committed without its entry. What no transaction took along is entered by `keep_entering`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Final

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.domain.people.audit import OUTCOME, AuditEntry
from app.domain.people.audit_actions import READS, ObjectKind
from app.store.audit.entries import insert_entries
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import Store

log = structlog.get_logger(__name__)

WAIT_SECONDS: Final = 0.2
"""From a note until it is entered, if no transaction comes by before."""


@dataclass(eq=False)
class Asked:
    """A change that was asked for and has not stored anything yet. `trail` is the one it goes to."""

    entry: AuditEntry
    trail: Trail
    entered: bool = False


_asked: Final = ContextVar[Asked | None]("asked", default=None)


def ask(entry: AuditEntry, trail: Trail) -> Asked:
    """Enter this with the first transaction of this task, or of one that it starts."""
    asked = Asked(entry, trail)
    _asked.set(asked)
    return asked


def name_subject(subject: str) -> None:
    """Say the id of what this task was asked to make."""
    asked = _asked.get()
    if (
        asked is not None
        and not asked.entered
        and not asked.entry.subject
        and asked.entry.kind is ObjectKind.CONVERSATION
    ):
        asked.entry = replace(asked.entry, subject=subject)


def forget_asked() -> None:
    """Begin something else in this task: what was asked for before is entered by nothing of it."""
    _asked.set(None)


@dataclass(eq=False)
class Trail:
    """What is to be entered, in the order in which it was done."""

    _notes: deque[AuditEntry] = field(default_factory=deque[AuditEntry])
    _noted: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not self._notes

    def note(self, entry: AuditEntry) -> None:
        """Enter this soon."""
        self._notes.append(entry)
        self._noted.set()

    def beside(self) -> TrailBeside:
        """What goes with transactions of conversations that are in memory."""
        return TrailBeside(self)

    async def write(self, session: AsyncSession) -> Callable[[], None] | None:
        """Enter what waits and what this task asked for, as the last thing of a transaction.

        Returns what takes that back, should the transaction not be committed.
        """
        return await self.write_some(session, with_notes=True)

    async def write_some(self, session: AsyncSession, *, with_notes: bool) -> Callable[[], None] | None:
        """The same; without notes: only what this task asked for."""
        asked = _asked.get()
        if asked is not None and asked.entered:
            asked = None
        noted = tuple(self._notes) if with_notes else ()
        if asked is None and not noted:
            return None
        for _ in noted:
            self._notes.popleft()
        if asked is not None:
            asked.entered = True

        def take_back() -> None:
            self._notes.extendleft(reversed(noted))
            self._noted.set()
            if asked is not None:
                asked.entered = False

        try:
            entries = [*await _settle(session, noted), *([] if asked is None else [asked.entry])]
            await insert_entries(session, entries)
        except BaseException:
            take_back()
            raise
        return take_back

    async def enter(self, store: Store) -> None:
        """Enter what waits now.

        Raises:
            StoreError: the database cannot be written. It goes on waiting.
        """
        if self._notes:
            async with store.write():
                pass

    async def keep_entering(self, store: Store) -> None:
        """Enter what no other transaction took along, as long as the process lives."""
        while True:
            await self._noted.wait()
            await asyncio.sleep(WAIT_SECONDS)
            self._noted.clear()
            try:
                await self.enter(store)
            except StoreError as error:
                log.warning("the audit trail could not be written; it is tried again", fault=str(error))
                self._noted.set()


@dataclass(frozen=True)
class TrailBeside:
    """The trail in transactions on memory: from there nobody sees whose the conversations on the disk are."""

    trail: Trail

    def beside(self) -> TrailBeside:
        """The same."""
        return self

    async def write(self, session: AsyncSession) -> Callable[[], None] | None:
        """Enter what this task asked for."""
        return await self.trail.write_some(session, with_notes=False)


async def _settle(session: AsyncSession, noted: tuple[AuditEntry, ...]) -> list[AuditEntry]:
    """Say of readings of conversations that are not the reader's that nothing was found."""
    read = {entry.subject for entry in noted if _is_reading(entry)}
    if not read:
        return list(noted)
    query = select(CONVERSATION.c.id, CONVERSATION.c.owner).where(CONVERSATION.c.id.in_(read))
    owners = {row.id: row.owner for row in await session.execute(query)}
    return [
        replace(entry, data={**entry.data, OUTCOME: "not found"})
        if _is_reading(entry) and owners.get(entry.subject) != entry.actor.person
        else entry
        for entry in noted
    ]


def _is_reading(entry: AuditEntry) -> bool:
    return entry.action in READS and entry.kind is ObjectKind.CONVERSATION and bool(entry.subject)
