"""The base of the state machine: what every rule needs, and the checks after each step.

After each step everything is compared: with the file, with the page that has been open all the time, and, every few
steps, with a page that is opened now.

The actions of the person are not here (`sending.py`, `machine.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from traceback import format_exc
from typing import ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ConflictError, ErrorClass
from app.domain.run.queue import HoldReason
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.send.queue import pause_queue
from app.runs.send.stopping import cancel_run
from tests.chaos.bench import Bench, OpenPage, eventually
from tests.chaos.desk import Desk, compare_with_file, look_of, look_of_shown
from tests.chaos.person import NOTHING, Attempt, Said, Spent, Talk, messages_of
from tests.chaos.puppet import Call
from tests.chaos.stored import read_talk

MODEL = "peer:any"
MAX_TALKS = 3

Result = TypeVar("Result")
TEXTS = st.text('ab\n"é汉🙂<%', min_size=1, max_size=6).filter(str.strip)
PICKS = st.integers(0, 5)
"""An index into several candidates, modulo their number."""
LOOK_ANEW = 5
"""Number of steps of a conversation after which its page is compared with a page that is loaded now."""
LEAST_LIFE = 6
"""Minimum number of steps between two ends of the process: ends cost the most time and test the least."""
SEVERAL = st.sets(PICKS, min_size=1, max_size=3)


def noted(act: Callable[..., None]) -> Callable[..., None]:
    """Record each step, and all steps before the first failure: a repetition may take another course."""

    @wraps(act)
    def do(self: AtWork, **how: object) -> None:
        if act.__name__ != "nothing_is_lost":
            self.done.append(f"{act.__name__}({', '.join(f'{name}={value!r}' for name, value in how.items())})")
        try:
            act(self, **how)
        except Exception:
            if not self.failure:
                self.failure.append("\n".join((*self.done, "", format_exc())))
            raise

    return do


class AtWork(RuleBasedStateMachine):
    """One person. `bench` and `runner` are shared by the process: opening them for each person would take most of the
    time.
    """

    bench: ClassVar[Bench]
    runner: ClassVar[asyncio.Runner]
    sequences: ClassVar[int] = 0
    steps: ClassVar[dict[str, int]] = {}
    failure: ClassVar[list[str]] = []

    def __init__(self) -> None:
        super().__init__()
        type(self).sequences += 1
        self.desks: list[Desk] = []
        self.binned: list[Desk] = []
        self.touched: list[Desk] = []
        self.done: list[str] = []
        self.lived = 0
        self.deletions: int = 0

    def do(self, work: Awaitable[Result]) -> Result:
        async def wait() -> Result:
            return await work

        return self.runner.run(wait())

    def count(self, step: str) -> None:
        self.steps[step] = self.steps.get(step, 0) + 1

    def refuse(self, work: Awaitable[object], error: type[Exception]) -> None:
        """Require that this is refused. The comparison after every step would detect a change."""
        self.count(f"refused: {error.__name__}")
        try:
            self.do(work)
        except error:
            return
        raise AssertionError(f"{work!r} was allowed")

    def desk(self, pick: int, suits: Callable[[Talk], object] = lambda _: True) -> Desk:
        suiting = [desk for desk in self.desks if suits(desk.talk)]
        desk = suiting[pick % len(suiting)]
        self.touched = [desk]
        return desk

    @property
    def answering(self) -> list[Desk]:
        return [desk for desk in self.desks if desk.talk.running and desk.call is not None]

    @property
    def busy(self) -> list[Desk]:
        return [desk for desk in self.desks if desk.talk.running]

    @initialize()
    @noted
    def open_conversation(self) -> None:
        async def work() -> Desk:
            made = await create_conversation(self.bench.ctx, LOCAL_OWNER, model=MODEL)
            return Desk(Talk(made.id), await self.bench.open_tab(made.id))

        self.desks.append(self.do(work()))

    def _one_of(self, *works: Awaitable[Result]) -> Result:
        """Require that exactly one of these succeeds and the others are refused."""

        async def work() -> list[Result | BaseException]:
            return await asyncio.gather(*works, return_exceptions=True)

        results = self.do(work())
        done = [result for result in results if not isinstance(result, BaseException)]
        assert len(done) == 1, f"not one was done but {results}"
        assert all(isinstance(result, ConflictError) for result in results if result is not done[0]), results
        return done[0]

    def _sent(self, desk: Desk, text: str, started: StartedRun) -> None:
        talk = desk.talk
        above = talk.shown
        talk.pairs.append(Said(started.pair_id, len(talk.pairs) + 1, [Attempt(text)]))
        self.do(self._hear(desk, started.run_id, messages_of(above, text)))

    async def _hear(self, desk: Desk, run_id: str, messages: list[dict[str, str]]) -> None:
        """Require that the provider receives the run's request with the expected messages."""
        desk.run_id, desk.retries = run_id, 0
        desk.call = await self.bench.puppet.next_call()
        assert desk.call.messages == messages
        desk.sent[run_id] = desk.call.body

    def _answer(self, pick: int, *, began: bool | None = None) -> tuple[Desk, Call, Attempt]:
        """Choose a desk with an open provider call. Return it with its call and its version."""
        open_calls = [
            (desk, desk.call, desk.talk.running.now)
            for desk in self.answering
            if desk.call and desk.talk.running and began in {None, desk.call.began}
        ]
        desk, call, attempt = open_calls[pick % len(open_calls)]
        self.touched = [desk]
        return desk, call, attempt

    def _end(self, desk: Desk, lifecycle: Lifecycle, error: ErrorClass | None = None, spent: Spent = NOTHING) -> None:
        """Wait until the end of the reply is stored, and record it."""
        run_id = desk.run_id
        self.do(eventually(lambda: run_id not in self.bench.ctx.engine.runs, f"the end of {run_id} is stored"))
        self._note_end(desk, lifecycle, error, spent)
        self._settle()
        if desk.talk.waiting and lifecycle is not Lifecycle.SUCCEEDED:
            desk.talk.held = HoldReason.STOPPED if lifecycle is Lifecycle.CANCELED else HoldReason.FAILED
        self._go_on(desk)

    def _settle(self) -> None:
        """Wait until the tasks after a reply are done."""
        self.do(eventually(lambda: not self.bench.ctx.background, "what follows a reply is done"))

    def _go_on(self, desk: Desk) -> None:
        """Expect that the first text of the queue was sent, unless the queue is held or blocked."""
        talk = desk.talk
        if talk.waiting and not (talk.held or talk.running or talk.compared):
            self.count("sent out of the queue")
            (run,) = self.bench.ctx.engine.runs_of(talk.id)
            self._sent(desk, talk.waiting.pop(0), StartedRun(run.run_id, run.place.pair_id, ""))

    def _note_end(self, desk: Desk, lifecycle: Lifecycle, error: ErrorClass | None, spent: Spent) -> None:
        pair = desk.talk.running
        assert pair is not None
        pair.now.stands, pair.now.error = lifecycle, error
        desk.talk.calls += desk.call is not None
        desk.talk.spent = desk.talk.spent.plus(spent)
        desk.call = None

    # --- what must hold after each step ---

    @invariant()
    @noted
    def nothing_is_lost(self) -> None:
        assert self.bench.puppet.calls.empty(), "the provider was asked for what nobody sent"
        for desk in (*self.desks, *self.binned):
            compare_with_file(desk, read_talk(self.bench.database, desk.talk.id))
        for desk in self.touched:
            for side in desk.sides:
                (found,) = read_talk(self.bench.database, side.run.conversation_id).pairs
                assert side.attempt.replied.startswith(found.now.replied)
                assert side.runs or found.now == side.attempt
            self.do(self._compare_with_tab(desk, desk.tab))
            desk.looked_at += 1
            if desk.looked_at % LOOK_ANEW == 0:
                self.do(self._compare_with_new_tab(desk))
        self.touched = []

    async def _compare_with_tab(self, desk: Desk, tab: OpenPage) -> None:
        """Require that the page shows what was said, which is what is stored."""
        expected = [look_of(pair) for pair in desk.talk.shown]
        await eventually(
            lambda: [look_of_shown(pair) for pair in tab.pairs] == expected,
            "a page shows what was said",
            lambda: f"\nexpected {expected}\nshown    {tab.pairs}",
        )
        talk = desk.talk
        await eventually(
            lambda: (tab.waiting, tab.comparison is not None) == (talk.waiting, talk.compared),
            "a page shows what waits and what is compared",
            lambda: f"\nexpected {talk}\nshown    {tab.waiting} {tab.comparison}",
        )
        assert tab.fault is None, tab.fault

    async def _compare_with_new_tab(self, desk: Desk) -> None:
        """Require that the page shows exactly what a page shows that is loaded now, including all figures."""
        fresh = await self.bench.open_tab(desk.talk.id)
        await self._compare_with_tab(desk, fresh)
        await eventually(
            lambda: desk.tab.shown == fresh.shown and desk.tab.counted == fresh.counted,
            "a page that looked all the time shows what one shows that is opened now",
            lambda: f"\nlive   {desk.tab.shown} {desk.tab.counted}\nloaded {fresh.shown} {fresh.counted}",
        )
        await fresh.close()

    def teardown(self) -> None:
        async def work() -> None:
            for desk in self.desks:
                desk.talk.waiting.clear()
                await pause_queue(self.bench.ctx, LOCAL_OWNER, desk.talk.id)
            for run_id in tuple(self.bench.ctx.engine.runs):
                await cancel_run(self.bench.ctx, LOCAL_OWNER, run_id)
            for desk in self.desks:
                await desk.tab.close()

        self.do(work())
        self._settle()
        while not self.bench.puppet.calls.empty():
            self.bench.puppet.calls.get_nowait()
