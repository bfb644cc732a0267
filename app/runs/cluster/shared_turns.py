"""Turns for the provider calls of all processes: one queue in Redis, by the rules of `engine/turns.py`.

    turns.of_all = shared = SharedTurns(link, turns)
    await shared.join()          # then `list_work()` is kept at work

A process has its turns under a lease, which it renews every few seconds. When that ends, the turns are given to others.
While Redis cannot be reached each process gives turns by itself, within the same limits, and says so in the log; then
it enters its calls anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, cast

import orjson
import structlog
from redis.exceptions import RedisError

from app.runs.cluster.link import FLUSH_SECONDS, RETRY_SECONDS, Link
from app.runs.cluster.turn_script import SCRIPT
from app.runs.engine.turns import CallTurns, Turn, Waiting
from app.runs.process.ids import now

log = structlog.get_logger(__name__)

TURNS: Final = "turns"
LEASE_SECONDS: Final = 12.0
"""How long a process that is silent keeps its turns."""
BEAT_SECONDS: Final = 4.0
"""How often a process renews its lease, and ends those of others that are over."""
LOOK_SECONDS: Final = 1.0
"""The same while calls of its own wait: messages that they have turns may be lost."""
SPACING_SECONDS: Final = 0.1
"""From one look at how many calls are ahead to the next, at least."""
MAX_BATCH: Final = 200
"""Operations that are sent with one round trip at most."""
SAME_SECONDS: Final = 1.0
"""Times until which a target is left alone that differ by less are the same."""

Operation = tuple[str | float, ...]
Answer = tuple[int, list[bytes], list[tuple[int, int]]]
"""See `turn_script.py`."""


@dataclass(eq=False)
class SharedTurns:
    """The turns of this process among those of all. `reached` is false while it gives them by itself."""

    link: Link
    turns: CallTurns
    reached: bool = False
    _operations: asyncio.Queue[Operation] = field(default_factory=asyncio.Queue[Operation])
    _first: set[str] = field(default_factory=set[str])
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _parted: asyncio.Event = field(default_factory=asyncio.Event)
    _sha: str = ""
    _warned: bool = False

    async def join(self) -> None:
        """Give turns together with the others from now on."""
        await self.link.listen(TURNS, self._hear)
        await self.link.listen(f"{TURNS}:{self.link.process_id}", self._hear_admitted)
        await self._enter_again()

    async def part(self) -> None:
        """Give back what this process has: it ends."""
        if self.reached:
            self._operations.put_nowait(("part",))
            with suppress(TimeoutError):  # the others take them back with the end of the lease
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._parted.wait()

    def list_work(self) -> tuple[Coroutine[None, None, None], ...]:
        """What has to be kept at work."""
        return self.keep_performing(), self.keep_looking()

    # --- what `CallTurns` asks ---

    def want(self, turn: Turn) -> None:
        """A call waits."""
        self._operations.put_nowait(("want", turn.id, turn.owner, turn.target))

    def leave(self, turn: Turn) -> None:
        """A call has ended, or waits no more."""
        self._first.discard(turn.id)
        self._operations.put_nowait(("leave", turn.id))

    def note_answer(self, turn: Turn) -> None:
        """A call is answered: others follow, if it went first."""
        if turn.id in self._first:
            self._operations.put_nowait(("answer", turn.id, turn.target))

    def note_refusal(self, target: str, seconds: float) -> None:
        """A target wants to be left alone for so long, by all processes."""
        self._operations.put_nowait(("refuse", target, _milliseconds(seconds)))

    def end_rest(self, target: str) -> None:
        """A target may be called again, by all processes."""
        self._operations.put_nowait(("end", target))

    # --- at work ---

    async def keep_performing(self) -> None:
        """Send what was asked, in its order, until this process parts."""
        while True:
            if not self.reached:
                await asyncio.sleep(RETRY_SECONDS)
                await self._enter_again()
                continue
            operations = [await self._operations.get()]
            while not self._operations.empty() and len(operations) < MAX_BATCH:
                operations.append(self._operations.get_nowait())
            if self.reached:
                await self._perform(operations)
            if operations[-1] == ("part",):
                self._parted.set()
                return

    async def keep_looking(self) -> None:
        """Renew the lease, and see what the calls of this process wait for."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._until_look()):
                    await self._moved.wait()
            self._moved.clear()
            if self.reached:
                self._operations.put_nowait(("beat", *(turn.id for turn in self.turns.waiting)))
            await asyncio.sleep(SPACING_SECONDS)

    def _until_look(self) -> float:
        """Seconds until the next look, if nothing is heard: sooner if a rest ends that a call waits for."""
        if not self.turns.waiting:
            return BEAT_SECONDS
        rests = [turn.waiting.until for turn in self.turns.waiting if turn.waiting is not None]
        due = [(until - now()).total_seconds() for until in rests if until is not None]
        return max(0.0, min([LOOK_SECONDS, *due]))

    async def _enter_again(self) -> None:
        """Enter all calls of this process, if Redis can be reached."""
        try:
            self._sha = await self.link.prompt.script_load(SCRIPT)
        except RedisError as error:
            self._lose(error)
            return
        self._operations = asyncio.Queue()
        self.reached = True
        await self._perform([self._describe()])
        if self.reached and self._warned:
            self._warned = False
            log.info("turns, requests and sign-ins are counted together with other processes again")

    def _describe(self) -> Operation:
        """The operation that enters everything anew."""
        told = {
            "on": [_told(turn) for turn in self.turns.calls],
            "waiting": [_told(turn) for turn in self.turns.waiting],
            "rests": [(target, _milliseconds(left)) for target, left in self.turns.list_rests().items()],
        }
        return ("join", orjson.dumps(told).decode())

    async def _perform(self, operations: Sequence[Operation]) -> None:
        limits = self.turns.limits
        name, process_id = self.link.prefix + TURNS, self.link.process_id
        bounds = (_bound(limits.in_all), _bound(limits.per_person), _milliseconds(LEASE_SECONDS))
        try:
            async with self.link.prompt.pipeline(transaction=False) as pipeline:
                for operation, *of_it in operations:
                    pipeline.evalsha(self._sha, 1, name, operation, process_id, *bounds, *of_it)
                answers = cast("list[Answer]", await pipeline.execute())
        except RedisError as error:
            self._lose(error)
            return
        for operation, (known, admitted, seen) in zip(operations, answers, strict=True):
            if not known:
                log.warning("this process had lost its turns to others; it enters its calls anew")
                await self._enter_again()
                return
            self._admit(said.decode() for said in admitted)
            for turn_id, (ahead, more) in zip(operation[1:], seen, strict=False):
                if ahead < 0:  # the message that it has its turn was lost, or is on its way
                    self._admit((f"{turn_id} first" if more else str(turn_id),))
                else:
                    self._show(str(turn_id), ahead, more)

    def _lose(self, error: RedisError) -> None:
        self.reached = False
        self._first.clear()
        if not self._warned:
            self._warned = True
            log.warning(
                "Redis is away: this process counts turns, requests and sign-ins by itself until it is back",
                fault=str(error),
            )
        self.turns.give_here()

    # --- what Redis says ---

    def _hear(self, message: bytes) -> None:
        said, *of_it = message.decode().split()
        if said == "rest":
            self.turns.let_rest(of_it[0], int(of_it[1]) / 1000)
        elif said == "end":
            self.turns.forget_rest(of_it[0])
        if self.turns.waiting:
            self._moved.set()

    def _hear_admitted(self, message: bytes) -> None:
        self._admit((message.decode(),))

    def _admit(self, admitted: Iterable[str]) -> None:
        for said in admitted:
            turn_id, _, first = said.partition(" ")
            turn = self._find(turn_id)
            if turn is not None:
                if first:
                    self._first.add(turn_id)
                self.turns.admit(turn)

    def _show(self, turn_id: str, ahead: int, left: int) -> None:
        turn = self._find(turn_id)
        if turn is not None and not turn.admitted.done():
            self.turns.show(turn, Waiting(ahead, _until(turn, left)))

    def _find(self, turn_id: str) -> Turn | None:
        return next((turn for turn in self.turns.waiting if turn.id == turn_id), None)


def _until(turn: Turn, left: int) -> datetime | None:
    """The time after so many ms; the one that is shown already, if it is about the same."""
    if left <= 0:
        return None
    until, shown = now() + timedelta(milliseconds=left), None if turn.waiting is None else turn.waiting.until
    same = shown is not None and abs((until - shown).total_seconds()) < SAME_SECONDS
    return shown if same else until


def _told(turn: Turn) -> tuple[str, str, str]:
    return turn.id, turn.owner, turn.target


def _bound(limit: int | None) -> int:
    return -1 if limit is None else limit


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
