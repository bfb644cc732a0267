"""The cache keep-alive ends automatically and reports why."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import update

from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.domain.errors import NotFoundError
from app.runs.cache.keep_alive import read_keeping, stop_keeping
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.runs.usage.budgets import set_budget
from app.store.cache.rows_keep_warm import KEEP_WARM
from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import play_anthropic
from tests.billing.talking import PROMPT, Talk


async def test_it_ends_when_its_time_has_come(talk: Talk) -> None:
    await talk.keep(minutes=4)

    assert 200 < await talk.waits() <= 240  # the entry lasts five minutes: no refresh is needed yet
    await _move_until(talk, -10)

    assert await talk.tend() is None
    kept = await talk.kept()
    assert kept.keeping.ended_at is not None
    assert (kept.keeping.words, kept.spent.calls) == (None, 0)


async def test_it_ends_if_the_provider_has_evicted_the_entry(talk: Talk) -> None:
    await talk.keep()
    forgetful = AnthropicCache()
    talk.peer.bill = forgetful.bill
    await talk.pass_time(275)

    assert await talk.tend() is None
    assert (await talk.kept()).keeping.words == (
        "The provider evicted the cache early. Inview wrote it again once, and does not refresh it any more."
    )


async def test_it_ends_if_a_user_stops_its_refresh(talk: Talk) -> None:
    await talk.keep()
    await talk.pass_time(275)

    async with talk.peer.holding_back():
        looking = asyncio.create_task(talk.tend())
        await talk.peer.came.wait()
        (run_id,) = talk.ctx.engine.runs
        await cancel_run(talk.ctx, LOCAL_OWNER, run_id)
        assert await looking is None

    assert (await talk.kept()).keeping.words == "The last refresh was stopped."


async def test_it_ends_where_the_provider_does_not_say_what_it_read(talk: Talk) -> None:
    await talk.keep()
    talk.peer.play = lambda words, _usage: re.sub(rb',"usage":{[^}]*}', b"", play_anthropic(words, {}))
    await talk.pass_time(275)

    assert await talk.tend() is None
    assert (await talk.kept()).keeping.words == "The provider did not report what it read from the cache."


async def test_it_ends_with_words_after_a_fault_of_inview(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    await talk.keep()
    monkeypatch.setattr("app.runs.cache.keep_alive.preview_send", fail)

    assert await talk.tend() is None
    kept = await talk.kept()
    assert kept.keeping.ended_at is not None
    assert kept.keeping.words == "Keeping warm stopped because of a defect in Inview. The log has the details."


async def test_it_stops_at_a_budget_that_is_spent(talk: Talk) -> None:
    await talk.keep()
    await set_budget(
        talk.ctx,
        LOCAL_OWNER,
        SpendingBudget(BudgetScope.CONVERSATION, talk.conversation_id, BudgetPeriod.DAY, Decimal("0.0001")),
    )
    await talk.pass_time(275)
    asked = len(talk.peer.asked)

    assert await talk.tend() is None
    assert "The budget for a day of this conversation" in str((await talk.kept()).keeping.words)
    assert len(talk.peer.asked) == asked


async def test_after_a_stop_it_reports_nothing(talk: Talk) -> None:
    await talk.keep()
    await stop_keeping(talk.ctx, LOCAL_OWNER, talk.conversation_id)
    await talk.pass_time(275)

    assert await talk.tend() is None
    assert await read_keeping(talk.ctx, LOCAL_OWNER, talk.conversation_id) is None
    with pytest.raises(NotFoundError):
        await stop_keeping(talk.ctx, LOCAL_OWNER, talk.conversation_id)


async def test_deleted_conversation_is_left_alone(talk: Talk) -> None:
    await talk.keep()
    await delete_conversation(talk.ctx, LOCAL_OWNER, talk.conversation_id)
    await talk.pass_time(275)
    asked = len(talk.peer.asked)

    assert await talk.tend() is None
    assert len(talk.peer.asked) == asked


async def test_edited_beginning_is_kept_as_far_as_the_next_send_reads_it(talk: Talk) -> None:
    await talk.keep()
    await change_conversation(
        talk.ctx, LOCAL_OWNER, talk.conversation_id, SettingChanges(system_prompt=PROMPT + "Be brief.")
    )
    await talk.pass_time(275)

    assert await talk.tend() is None
    assert "has cached nothing that the next send would read" in str((await talk.kept()).keeping.words)


async def _move_until(talk: Talk, seconds: float) -> None:
    async with talk.ctx.store.write() as session:
        await session.execute(update(KEEP_WARM).values(until=now() + timedelta(seconds=seconds)))
