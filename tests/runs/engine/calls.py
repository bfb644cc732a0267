"""Provider calls of a test that take turns, by name.

calls = Calls(CallTurns(TurnLimits(in_all=1)))
await calls.want("ada1", "ada2")
await calls.end("ada1")
calls.on                                # ["ada1", "ada2"]
"""

from __future__ import annotations

import asyncio

from app.runs.engine.turns import CallTurns, Turn, Waiting

MODEL = "anthropic:opus"


class Calls:
    """Calls of a test, by name: which are on, what the others wait for, in the order in which they began."""

    def __init__(self, turns: CallTurns) -> None:
        self.turns = turns
        self.on: list[str] = []
        self.waits: dict[str, Waiting | None] = {}
        self.held: dict[str, Turn] = {}
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def want(self, *names: str, target: str = MODEL) -> None:
        """`ada1` is a call of ada."""
        for name in names:
            self.ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._call(name, target))
            await settle()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.tasks[name]
        await settle()

    async def give_up(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.wait({self.tasks[name]})
        await settle()

    def ahead_of(self, name: str) -> int | None:
        waiting = self.waits.get(name)
        return None if waiting is None else waiting.ahead

    async def _call(self, name: str, target: str) -> None:
        def show(waiting: Waiting | None) -> None:
            self.waits[name] = waiting

        async with self.turns.take(name.rstrip("0123456789"), target, show) as turn:
            self.held[name] = turn
            self.on.append(name)
            await self.ends[name].wait()


async def settle() -> None:
    for _ in range(3):
        await asyncio.sleep(0)
