"""Invariants of the ledger, whatever a person does.

Totals never fall, the node plus later calls equal the sum, and the record of what a call contained never changes.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import InviewError
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.usage.accounts import list_booked, load_account, load_balance
from app.runs.usage.sent_calls import ReadCall, read_sent_call
from app.runs.usage.usage import report_usage
from app.runs.wiring import open_app_context
from app.store.ledger.ledger import sum_usage_by_model
from app.store.ledger.rollups import find_faults
from app.store.ledger.usage import UsageQuery
from tests.effort import EFFORT
from tests.runs.steps import a_conversation, collect, pairs_of, settings_of

STEPS = ("send", "fail", "stop", "edit", "discard", "again", "restore", "delete", "undelete", "fork", "reopen")
"""Actions of a person. `reopen`: the process dies without a shutdown and another one starts."""


@dataclass
class Story:
    """A conversation, and the totals and the recorded calls seen so far."""

    ctx: AppContext
    conversation_id: str
    deleted: list[str] = field(default_factory=list[str])
    totals: list[int] = field(default_factory=list[int])
    recorded: dict[str, ReadCall] = field(default_factory=dict[str, ReadCall])

    async def act(self, step: str, place: int) -> None:
        pairs = await pairs_of(self.ctx, self.conversation_id)
        pair = pairs[place % len(pairs)] if pairs else None
        match step:
            case "send" | "fail" | "stop":
                text = {"send": "/echo Yes", "fail": "/fail auth", "stop": "/long 400 /rate 50"}[step]
                started = await start_reply(self.ctx, LOCAL_OWNER, self.conversation_id, SendRequest(text))
                if step == "stop":
                    await cancel_run(self.ctx, LOCAL_OWNER, started.run_id)
                await collect(self.ctx, started.run_id)
            case "edit" | "discard" | "again" if pair is not None:
                text = None if step == "again" else f"/echo Edited {place}"
                later = Later.DISCARD if step == "discard" else Later.KEEP
                resent = await resend_pair(self.ctx, LOCAL_OWNER, pair.id, ResendOptions(later=later), text=text)
                await collect(self.ctx, resent.started.run_id)
            case "restore" if pair is not None:
                await restore_version(self.ctx, LOCAL_OWNER, pair.id, 1 + place % pair.versions)
            case "delete" if pair is not None:
                await self._mark(pair.id, deleted=True)
                self.deleted.append(pair.id)
            case "undelete" if self.deleted:
                await self._mark(self.deleted.pop(), deleted=False)
            case "fork" if pairs:
                await fork_conversation(self.ctx, LOCAL_OWNER, self.conversation_id, [pairs[0].id])
            case _:
                pass

    async def _mark(self, pair_id: str, *, deleted: bool) -> None:
        marks = [PairMarks(pair_id, Marks(deleted=deleted))]
        await mark_pairs(self.ctx, LOCAL_OWNER, self.conversation_id, marks)

    async def look(self) -> None:
        """Check the invariants."""
        account = await load_account(self.ctx, LOCAL_OWNER, self.conversation_id)
        async with self.ctx.store.read() as session:
            by_model = await sum_usage_by_model(session, LOCAL_OWNER, conversation_id=self.conversation_id)
            assert await find_faults(session) == ()
        summed = sum(by_model.values(), start=Usage())
        booked = await list_booked(self.ctx, LOCAL_OWNER, self.conversation_id, limit=500)

        balance = await load_balance(self.ctx, LOCAL_OWNER, self.conversation_id)
        assert (balance.spent, balance.window) == (account.spent, account.window)
        assert account.cumulative == summed == account.spent.usage
        assert sum((one.spent.usage for one in booked), start=Usage()) == summed
        assert sum(one.spent.calls for one in booked) == account.spent.calls
        self.totals.append(summed.all_tokens)
        assert self.totals == sorted(self.totals)
        recorded = {one.call.id: await read_sent_call(self.ctx, LOCAL_OWNER, one.call.id) for one in booked}
        assert all(None not in one.content.messages for one in recorded.values())
        assert self.recorded.items() <= recorded.items()
        self.recorded = recorded


@settings(max_examples=EFFORT.ledgers, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5)), max_size=12))
def test_totals_never_fall_and_the_node_with_later_calls_is_the_ledgers_sum(
    tmp_path: Path, steps: list[tuple[str, int]]
) -> None:
    async def live() -> None:
        folder = tmp_path / "data"
        shutil.rmtree(folder, ignore_errors=True)
        async with open_app_context(settings_of(folder)) as ctx:
            story = Story(ctx, await a_conversation(ctx, model="offline:demo"))
        for chapter in _split(steps):
            async with open_app_context(settings_of(folder)) as ctx:
                story.ctx = ctx
                for step, place in chapter:
                    with suppress(InviewError):
                        await story.act(step, place)
                    await story.look()
        async with open_app_context(settings_of(folder)) as ctx:
            await delete_conversation(ctx, LOCAL_OWNER, story.conversation_id)
            total = (await report_usage(ctx, LOCAL_OWNER, UsageQuery(), "model")).total
            assert total.usage.all_tokens >= max(story.totals, default=0)

    asyncio.run(live())


def _split(steps: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Split the steps into those of one process after the other."""
    chapters: list[list[tuple[str, int]]] = [[]]
    for step in steps:
        if step[0] == "reopen":
            chapters.append([])
        else:
            chapters[-1].append(step)
    return chapters
