"""Turns for provider calls: how many run at once, and which is next.

    turns = CallTurns(TurnLimits(in_all=200, per_person=20))
    async with turns.take("ada", ("anthropic", "opus"), show) as turn:   # waits, and shows how many are ahead
        ...                                                              # the provider call
        turn.note_answer()                                               # with its first piece

People take turns: the second call of one comes after the first of every other, so who starts a hundred delays nobody
who starts one (start-time fair queueing: Goyal, Vin and Cheng, 1996).
A provider that refuses a call for its rate limit, and says for how long, is left alone until then by every call of the
same target; then one call goes first, and the others follow when it is answered.

Where several processes work together, turns are given for all of them (`runs/cluster/shared_turns.py`), and here only
while Redis is away.

Not here: when a failed call is made again (`domain/run/transitions.py`), and texts that wait for the reply before them
(`runs/send/queue.py`).
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Protocol

from app.runs.process.ids import new_id, now


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Provider calls that are on at once. None: as many as are asked for."""

    in_all: int | None = None
    per_person: int | None = None


def limit_turns(limits: Mapping[str, str]) -> TurnLimits:
    """The limits of the setting INVIEW_CALLS_AT_ONCE."""
    in_all, per_person = limits.get("server"), limits.get("person")
    return TurnLimits(None if in_all is None else int(in_all), None if per_person is None else int(per_person))


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits for its turn: so many are `ahead` of it. `until`: the provider asked to be left alone."""

    ahead: int
    until: datetime | None = None


Show = Callable[[Waiting | None], None]
"""Is called with what a call waits for, whenever that changes; with None once it waits no more."""


@dataclass(eq=False)
class Turn:
    """One call, from when it is wanted to its end. `place` is its round among the calls of all, then its number."""

    owner: str
    target: str
    place: tuple[int, int]
    turns: CallTurns = field(repr=False)
    show: Show = field(repr=False)
    id: str = field(default_factory=new_id)
    waiting: Waiting | None = None
    admitted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def note_answer(self) -> None:
        """The provider answers this call, so it may be called again."""
        self.turns.note_answer(self)

    def note_refusal(self, seconds: float) -> None:
        """The provider refused this call for its rate limit, and asks to be left alone for so many seconds."""
        self.turns.note_refusal(self, seconds)


class TurnsOfAll(Protocol):
    """Gives the turns of all processes (`runs/cluster/shared_turns.py`), as long as they can be `reached`."""

    reached: bool

    def want(self, turn: Turn) -> None:
        """A call waits. `CallTurns.admit` is called when it has its turn."""
        ...

    def leave(self, turn: Turn) -> None:
        """A call has ended, or waits no more."""
        ...

    def note_answer(self, turn: Turn) -> None:
        """A call is answered."""
        ...

    def note_refusal(self, target: str, seconds: float) -> None:
        """A target wants to be left alone for so long."""
        ...

    def end_rest(self, target: str) -> None:
        """A target may be called again."""
        ...


@dataclass(slots=True)
class _Rest:
    """A target that is left alone `until` then, and after it until its `first` call is answered."""

    until: datetime
    over: bool = False
    first: Turn | None = None


@dataclass(eq=False)
class CallTurns:
    """The turns of this process. `on` counts the calls of each person; `waiting` has the next first. `of_all` None:
    there are no other processes.
    """

    limits: TurnLimits = TurnLimits()
    on: dict[str, int] = field(default_factory=dict[str, int])
    waiting: list[Turn] = field(default_factory=list[Turn])
    calls: set[Turn] = field(default_factory=set[Turn])
    of_all: TurnsOfAll | None = None
    _round: int = 0
    _last: dict[str, int] = field(default_factory=dict[str, int])
    _rests: dict[str, _Rest] = field(default_factory=dict[str, _Rest])
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def count_on(self) -> int:
        return sum(self.on.values())

    @asynccontextmanager
    async def take(self, owner: str, target: str, show: Show) -> AsyncGenerator[Turn]:
        """Wait for a turn, and hold it. Cancelling the wait gives the place up."""
        self._last[owner] = max(self._round, self._last.get(owner, 0)) + 1
        turn = Turn(owner, target, (self._last[owner], next(self._numbers)), self, show)
        insort(self.waiting, turn, key=_place_of)
        if self._shared is not None:
            self._shared.want(turn)
        self._advance()
        try:
            await turn.admitted
            yield turn
        finally:
            self._leave(turn)

    def end_rest(self, target: str) -> None:
        """Call this target again at once: a person wants it."""
        if self._shared is not None:
            self._shared.end_rest(target)
        self.forget_rest(target)

    def forget_rest(self, target: str) -> None:
        """It is known that this target may be called again."""
        if self._rests.pop(target, None) is not None:
            self._advance()

    def note_answer(self, turn: Turn) -> None:
        if self._shared is not None:
            self._shared.note_answer(turn)
        rest = self._rests.get(turn.target)
        if rest is not None and rest.first is turn:
            self.forget_rest(turn.target)

    def note_refusal(self, turn: Turn, seconds: float) -> None:
        if self._shared is not None:
            self._shared.note_refusal(turn.target, seconds)
        self.let_rest(turn.target, seconds)

    def let_rest(self, target: str, seconds: float) -> None:
        """It is known that this target wants to be left alone for so long."""
        until, known = now() + timedelta(seconds=seconds), self._rests.get(target)
        if known is None or known.over or known.until < until:
            rest = self._rests[target] = _Rest(until)
            asyncio.get_running_loop().call_later(seconds, self._end_rest, rest)

    def list_rests(self) -> Mapping[str, float]:
        """The targets that are left alone now, and for how many seconds."""
        return {
            target: left
            for target, rest in self._rests.items()
            if not rest.over and (left := (rest.until - now()).total_seconds()) > 0
        }

    def admit(self, turn: Turn) -> None:
        """Give this call its turn, unless it waits no more."""
        if turn not in self.waiting or turn.admitted.done():
            return
        self.waiting.remove(turn)
        self._round = max(self._round, turn.place[0])
        self.on[turn.owner] = self.on.get(turn.owner, 0) + 1
        self.calls.add(turn)
        turn.admitted.set_result(None)
        if turn.waiting is not None:
            turn.waiting = None
            turn.show(None)

    def show(self, turn: Turn, waiting: Waiting) -> None:
        """Show what a call waits for, if that changed."""
        if waiting != turn.waiting:
            turn.waiting = waiting
            turn.show(waiting)

    def give_here(self) -> None:
        """Give turns in this process alone from now on: the others cannot be reached."""
        self._advance()

    @property
    def _shared(self) -> TurnsOfAll | None:
        return self.of_all if self.of_all is not None and self.of_all.reached else None

    def _end_rest(self, rest: _Rest) -> None:
        rest.over = True
        self._advance()

    def _leave(self, turn: Turn) -> None:
        if turn in self.waiting:
            self.waiting.remove(turn)
        else:
            self.calls.discard(turn)
            self.on[turn.owner] -= 1
            if not self.on[turn.owner]:
                del self.on[turn.owner]
        if turn.owner not in self.on and not any(each.owner == turn.owner for each in self.waiting):
            self._last.pop(turn.owner, None)
        rest = self._rests.get(turn.target)
        if rest is not None and rest.first is turn:
            rest.first = None
        if self._shared is not None:
            self._shared.leave(turn)
        self._advance()

    def _advance(self) -> None:
        """Give every turn that is free, and tell the others where they are, unless that is done for all processes."""
        if self._shared is not None:
            return
        while (turn := next(filter(self._is_free, self.waiting), None)) is not None:
            if (rest := self._rests.get(turn.target)) is not None:
                rest.first = turn
            self.admit(turn)
        for ahead, turn in enumerate(self.waiting):
            self.show(turn, Waiting(ahead, self._rests_until(turn)))

    def _is_free(self, turn: Turn) -> bool:
        in_all, per_person = self.limits.in_all, self.limits.per_person
        return (
            (in_all is None or self.count_on < in_all)
            and (per_person is None or self.on.get(turn.owner, 0) < per_person)
            and not self._is_resting(turn.target)
            and not turn.admitted.done()  # its wait is being given up
        )

    def _is_resting(self, target: str) -> bool:
        rest = self._rests.get(target)
        return rest is not None and (rest.first is not None or not rest.over)

    def _rests_until(self, turn: Turn) -> datetime | None:
        rest = self._rests.get(turn.target)
        return None if rest is None or rest.over else rest.until


def _place_of(turn: Turn) -> tuple[int, int]:
    return turn.place
