"""Replies that one process receives and others show: the first sends its states, as long as somebody follows.

    async for state in follow_remote(link, process_id, run_id): ...        # in another process
    tellers.tell(run_id)                                                   # in the one that receives it

The end of a run is sent once it is stored. Where messages are missing, the follower asks for the whole state again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from app.domain.run.state import RunState
from app.runs.cluster.link import Link, NoAnswerError
from app.runs.cluster.run_messages import GapError, Numbered, decode, encode_growth, encode_whole
from app.runs.engine.live import LiveRun
from app.runs.process.update_rate import FRAME_SECONDS

FOLLOW: Final = "follow"
RENEW_SECONDS: Final = 10.0
"""How often a follower of a silent run asks whether it is still on."""
END_SECONDS: Final = 0.2
"""How long the end of the process waits until ends that are stored were sent."""
WANTED_SECONDS: Final = 3 * RENEW_SECONDS
"""How long a run is sent after the last time somebody asked for it."""


@dataclass(slots=True)
class _Teller:
    """What followers of a run have: `sent`, by the message of this `number`; `until` when somebody wants more."""

    run: LiveRun
    sent: RunState
    number: int = 0
    until: float = 0.0
    task: asyncio.Task[None] | None = None


@dataclass(eq=False)
class Tellers:
    """Sends the states of runs of this process to those who follow them elsewhere. `runs` are those that are on."""

    link: Link
    runs: Mapping[str, LiveRun]
    _of: dict[str, _Teller] = field(default_factory=dict[str, _Teller])

    def tell(self, run_id: str) -> bool:
        """Send the whole state of a run now, and for a while what follows. False: it is not on here."""
        run = self.runs.get(run_id)
        if run is None:
            return False
        teller = self._of.get(run_id)
        if teller is None:
            teller = self._of[run_id] = _Teller(run, run.shown)
            teller.task = asyncio.create_task(self._keep_telling(teller), name=f"tell of run {run_id}")
        teller.number += 1
        teller.sent, teller.until = run.shown, monotonic() + WANTED_SECONDS
        self.link.send(channel_of(run_id), encode_whole(teller.number, teller.sent))
        return True

    async def close(self) -> None:
        """Send the ends of those that have ended, and then no more."""
        tasks = [teller.task for teller in self._of.values() if teller.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=END_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep_telling(self, teller: _Teller) -> None:
        run = teller.run
        try:
            while (left := teller.until - monotonic()) > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await run.wait_for_change(teller.sent)
                if (state := run.shown) is not teller.sent:
                    teller.number += 1
                    self.link.send(channel_of(run.run_id), encode_growth(teller.number, teller.sent, state))
                    teller.sent = state
                if state.outcome is not None:
                    return
                await asyncio.sleep(FRAME_SECONDS)
        finally:
            del self._of[run.run_id]


async def follow_remote(link: Link, process_id: str, run_id: str) -> AsyncGenerator[RunState, None]:
    """The states of a run that another process receives. It ends after the run's end, or when that process is gone."""
    messages: asyncio.Queue[bytes] = asyncio.Queue()
    channel = channel_of(run_id)
    await link.listen(channel, messages.put_nowait)
    try:
        known: Numbered | None = None
        while await _is_told(link, process_id, run_id):
            with suppress(TimeoutError, GapError):
                while True:
                    async with asyncio.timeout(RENEW_SECONDS):
                        message = await messages.get()
                    before, known = known, None  # none, if this one does not continue it
                    known = decode(message, before)
                    yield known.state
                    if known.state.outcome is not None:
                        return
    finally:
        await link.leave(channel, messages.put_nowait)


async def _is_told(link: Link, process_id: str, run_id: str) -> bool:
    try:
        return bool((await link.ask(process_id, {"do": FOLLOW, "run": run_id})).get("on"))
    except NoAnswerError:
        return False


def channel_of(run_id: str) -> str:
    """Where the states of a run are sent."""
    return f"run:{run_id}"
