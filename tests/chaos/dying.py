"""Processes that work until they are killed, and report what they did and saw.

It is not a test: `test_chaos.py` starts them and reads their reports. They use the real engine and the real store; the
test chooses only the moment of the kill.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun, start_reply
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import set_preferences
from app.runs.wiring import open_app_context
from tests.runs.saves import Save, SaveClock, report_saves
from tests.runs.steps import settings_of

PERSONS = 4
REPORT_SECONDS = 0.02
READ_SECONDS = "0.5"
"""Maximum silence of a provider in seconds."""


@dataclass(frozen=True)
class Report:
    """A report of a process: a reply was `sent`, some of it was `received`, its text was `saved`, or it `ended`."""

    what: str
    at: float = field(default_factory=time.monotonic)
    run_id: str = ""
    pair_id: str = ""
    asked: str = ""
    replied: str = ""
    stands: str = ""
    in_time: bool = True


@dataclass
class Person:
    """A person who works in a separate conversation."""

    ctx: AppContext
    name: str
    chance: Random
    report: Callable[[Report], None]
    conversation_id: str = ""
    pair_ids: list[str] = field(default_factory=list[str])
    sent: int = 0

    async def work(self) -> None:
        self.conversation_id = (await create_conversation(self.ctx, LOCAL_OWNER, model="peer:any")).id
        while True:
            act = self.chance.choices((self.send, self.send_again, self.restore, self.delete), (5, 3, 1, 1))[0]
            if not self.pair_ids:
                act = self.send
            try:
                await act()
            # the pair is deleted, or a later pair is missing: a person sees that and does something else
            except ConflictError:
                await asyncio.sleep(0.001)

    async def send(self) -> None:
        asked = self._words()
        started = await start_reply(self.ctx, LOCAL_OWNER, self.conversation_id, SendRequest(asked))
        self.pair_ids.append(started.pair_id)
        await self._watch(started, asked)

    async def send_again(self) -> None:
        asked, later = self._words(), self.chance.choice((Later.KEEP, Later.DISCARD))
        pair_id = self.chance.choice(self.pair_ids)
        resent = await resend_pair(self.ctx, LOCAL_OWNER, pair_id, ResendOptions(later=later), text=asked)
        gone = {undo.pair_id for undo in resent.undo}
        self.pair_ids = [other for other in self.pair_ids if other not in gone]
        await self._watch(resent.started, asked)

    async def restore(self) -> None:
        pair_id = self.chance.choice(self.pair_ids)
        await restore_version(self.ctx, LOCAL_OWNER, pair_id, 1)

    async def delete(self) -> None:
        pair_id = self.chance.choice(self.pair_ids)
        undo = await mark_pairs(self.ctx, LOCAL_OWNER, self.conversation_id, [PairMarks(pair_id, Marks(deleted=True))])
        if self.chance.random() < 0.5:
            await mark_pairs(self.ctx, LOCAL_OWNER, self.conversation_id, undo)
        else:
            self.pair_ids.remove(pair_id)

    def _words(self) -> str:
        self.sent += 1
        return f"{self.name}, {self.sent}"

    async def _watch(self, started: StartedRun, asked: str) -> None:
        """Report the pieces of a reply until it ends. Stop some replies."""
        run_id, pair_id = started.run_id, started.pair_id
        self.report(Report("sent", run_id=run_id, pair_id=pair_id, asked=asked))
        run = self.ctx.engine.runs.get(run_id)
        stop_at = time.monotonic() + self.chance.uniform(0, 2)
        while run is not None and run.shown.outcome is None:
            self.report(Report("received", run_id=run_id, replied=plain_text(run.state.parts)))
            await asyncio.sleep(REPORT_SECONDS)
            if time.monotonic() > stop_at:
                await cancel_run(self.ctx, LOCAL_OWNER, run_id)
        if run is not None and run.shown.outcome is not None:
            ended = type(run.shown.outcome).__name__
            self.report(Report("ended", run_id=run_id, replied=plain_text(run.shown.parts), stands=ended))


def work(data: Path, peer: str, name: str, connection: Connection) -> None:
    """Open the app context and work in it until killed."""
    asyncio.run(_work(data, peer, name, connection.send))


async def _work(data: Path, peer: str, name: str, report: Callable[[Report], None]) -> None:
    report(Report("alive"))
    settings = settings_of(data, INVIEW_COMPATIBLE=f"peer={peer}/v1", INVIEW_TIMEOUT=READ_SECONDS)
    clock = SaveClock()
    async with open_app_context(settings, clock) as ctx:

        def report_save(save: Save) -> None:
            for run_id, text in save.received.items():
                report(Report("saved", run_id=run_id, replied=text, in_time=save.is_in_time))

        report_saves(ctx, clock, report_save)
        # a title request would be an extra call: all calls here come from a person
        await set_preferences(ctx, LOCAL_OWNER, Preferences(titles=False))
        report(Report("at work"))
        persons = [Person(ctx, f"{name}-{number}", Random(f"{name}-{number}"), report) for number in range(PERSONS)]
        works: list[Awaitable[None]] = [person.work() for person in persons]
        await asyncio.gather(*works)
