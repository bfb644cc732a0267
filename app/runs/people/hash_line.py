"""The line before the one thread that hashes passwords: the lowest rank goes first, of equals who came first.

    async with line.turn(FIRST): ...       # somebody who proved before who they are: never refused
    async with line.turn(1 + tries): ...   # a stranger; raises TooBusyError where too many wait

A flood of sign-ins cannot fill it for others: where it is full, the stranger with the most attempts is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Final

from app.domain.errors import InviewError

FIRST: Final = 0
"""The rank of who has a session, a one-time link or a device that signed in before. Those of strangers are higher."""
MAX_STRANGERS: Final = 12
"""About three seconds of hashing."""
RETRY_SECONDS: Final = 5


class TooBusyError(InviewError):
    """More strangers wait to have their passwords checked than would get an answer soon."""

    def __init__(self) -> None:
        super().__init__("Too many people are signing in at once. Try again in a few seconds.")


@dataclass(frozen=True, eq=False, slots=True)
class _Waiting:
    rank: int
    number: int
    turn: asyncio.Future[None]

    @property
    def place(self) -> tuple[int, int]:
        return self.rank, self.number


class HashLine:
    """Who waits. One at a time has the turn."""

    def __init__(self, max_strangers: int = MAX_STRANGERS) -> None:
        self._max_strangers = max_strangers
        self._numbers = count()
        self._waiting: list[_Waiting] = []
        self._taken = False

    @asynccontextmanager
    async def turn(self, rank: int) -> AsyncGenerator[None]:
        """Wait for the turn and have it until the context is left.

        Raises:
            TooBusyError: too many of this rank or a lower one wait.
        """
        if self._taken:
            await self._wait(rank)
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, rank: int) -> None:
        if rank > FIRST:
            self._make_room(rank)
        one = _Waiting(rank, next(self._numbers), asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        try:
            await one.turn
        except asyncio.CancelledError:
            if one in self._waiting:
                self._waiting.remove(one)
            elif one.turn.done() and not one.turn.cancelled() and one.turn.exception() is None:
                self._pass_on()  # it got its turn in the same moment
            raise

    def _make_room(self, rank: int) -> None:
        strangers = [one for one in self._waiting if one.rank > FIRST]
        if len(strangers) < self._max_strangers:
            return
        last = max(strangers, key=lambda one: one.place)
        if last.rank <= rank:
            raise TooBusyError
        self._waiting.remove(last)
        last.turn.set_exception(TooBusyError())

    def _pass_on(self) -> None:
        self._taken = bool(self._waiting)
        if self._waiting:
            first = min(self._waiting, key=lambda one: one.place)
            self._waiting.remove(first)
            first.turn.set_result(None)
