"""The cache keep-alive and the processes that refresh: they end, start, and run at the same time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from app.runs.cache.keep_alive import RUNNING_SECONDS, read_keeping, start_keeping, tend
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.wiring import open_app_context
from app.store.cache.rows_keep_warm import KEEP_WARM
from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import BillingPeer, play_anthropic, serve_billing
from tests.billing.talking import DEFAULT_OPTIONS, MODEL, PROMPT, Talk, talking
from tests.runs.steps import a_conversation, reply_to, settings_of


async def test_it_continues_after_a_restart_or_reports_its_end(tmp_path: Path) -> None:
    peer = BillingPeer("anthropic", AnthropicCache().bill, play_anthropic)
    async with talking(tmp_path, peer) as talk:
        other = await a_conversation(talk.ctx, model=MODEL, system_prompt=PROMPT)
        await reply_to(talk.ctx, other, "Something else?")
        await talk.keep()
        await start_keeping(talk.ctx, LOCAL_OWNER, other, DEFAULT_OPTIONS, 60)
        await talk.dismiss()
        await talk.pass_time(275)
        async with talk.ctx.store.write() as session:
            past = {"until": now() - timedelta(seconds=1)}
            await session.execute(update(KEEP_WARM).where(KEEP_WARM.c.conversation_id == other).values(past))
    async with serve_billing(peer), open_app_context(settings_of(tmp_path, **peer.environment)) as ctx:
        feed = ctx.event_bus.subscribe(LOCAL_OWNER, talk.conversation_id)
        await anext(feed)  # the refresh that was due
        gone_on = await read_keeping(ctx, LOCAL_OWNER, talk.conversation_id)
        ended = await read_keeping(ctx, LOCAL_OWNER, other)

    assert gone_on is not None
    assert (gone_on.spent.calls, gone_on.keeping.ended_at) == (1, None)
    assert ended is not None
    assert ended.keeping.words == "Inview was not running when a refresh was due."


async def test_it_continues_if_its_process_ends_in_the_middle_of_a_refresh(talk: Talk) -> None:
    await talk.keep()
    await talk.pass_time(275)

    async with talk.peer.holding_back():
        looking = asyncio.create_task(talk.tend())
        await talk.peer.came.wait()
        await talk.ctx.engine.interrupt_all()
        assert await looking == RUNNING_SECONDS

    assert (await talk.kept()).keeping.ended_at is None


async def test_two_processes_see_to_it_and_one_of_them_pays(
    tmp_path: Path, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = asyncio.Barrier(2)

    async def meet(*_: object) -> None:
        await both.wait()

    await talk.keep()
    async with open_app_context(settings_of(tmp_path, **talk.peer.environment)) as other:
        assert talk.conversation_id in other.keeping
        await replace(talk, ctx=other).dismiss()
        await talk.pass_time(275)
        asked = len(talk.peer.asked)
        monkeypatch.setattr("app.runs.cache.keep_alive.require_budgets", meet)
        looked = await asyncio.gather(*(tend(ctx, LOCAL_OWNER, talk.conversation_id) for ctx in (talk.ctx, other)))

        assert sorted(map(str, looked)) == [str(0.0), str(RUNNING_SECONDS)]
        assert len(talk.peer.asked) == asked + 1
        assert (await talk.kept()).spent.calls == 1
        assert await replace(talk, ctx=other).waits() > 200


async def test_it_continues_in_another_process_when_the_first_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.runs.cache.keep_alive.MAX_SECONDS", 0.05)
    peer = BillingPeer("anthropic", AnthropicCache().bill, play_anthropic)
    async with talking(tmp_path, peer) as talk:
        async with open_app_context(settings_of(tmp_path, **peer.environment)) as other:
            await start_keeping(other, LOCAL_OWNER, talk.conversation_id, DEFAULT_OPTIONS, 60)
        peer.came.clear()
        await talk.pass_time(275)

        await asyncio.wait_for(peer.came.wait(), 20)

    assert peer.asked[-1].body["max_tokens"] == 1
