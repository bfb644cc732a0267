"""Temporary conversations: nothing of them reaches the disk until they are kept, whatever a user does with them."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, NotFoundError
from app.runs.app_context import AppContext, context_for
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.forks import fork_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.engine.writer import PAUSE_SECONDS, SAVE_SECONDS
from app.runs.filters.filter_commands import apply_filter, list_filters
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.event_bus import ConversationRemoved
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.runtime.shielded import finish_under_way
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from tests.runs.clock import MovedClock
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    pairs_of,
    reply_to,
    send,
    settings_of,
    wait_for_text,
)

MODEL = "offline:demo"
SECRET = "Xylophonquartett"


@pytest.fixture
async def beside(ctx: AppContext) -> tuple[AppContext, str]:
    """Create a temporary conversation. Returns the app context of temporary conversations and its id."""
    conversation = await create_temporary(ctx, LOCAL_OWNER, model=MODEL)
    return await context_for(ctx, conversation.id), conversation.id


def written(data: Path, words: str) -> list[str]:
    """Return the files of the data folder that contain these words, in UTF-8 or UTF-16."""
    wanted = {words.encode(), words.encode("utf-16-le"), words.encode("utf-16-be")}
    files = [path for path in data.rglob("*") if path.is_file()]
    return [path.name for path in files if any(text in path.read_bytes() for text in wanted)]


async def test_the_search_finds_what_a_kept_conversation_wrote(ctx: AppContext, data: Path) -> None:
    started = await send(ctx, (await create_kept(ctx)), f"/rate 20\n/echo {SECRET} {'word ' * 40}")
    await wait_for_text(ctx, started, 20)

    assert written(data, SECRET) == ["inview.db-wal"]


async def create_kept(ctx: AppContext) -> str:
    return await a_conversation(ctx, model=MODEL)


async def test_nothing_of_a_temporary_conversation_reaches_the_disk_also_while_a_reply_streams(
    moved: AppContext, clock: MovedClock, data: Path
) -> None:
    conversation = (await create_temporary(moved, LOCAL_OWNER, model=MODEL)).id
    bench = await context_for(moved, conversation)
    await change_conversation(
        bench, LOCAL_OWNER, conversation, SettingChanges(title=f"{SECRET} title", system_prompt=SECRET)
    )

    started = await send(bench, conversation, f"/rate 60\n/echo {SECRET} {'word ' * 300}")
    await wait_for_text(bench, started, 20)
    await queue_text(bench, LOCAL_OWNER, conversation, SendRequest(f"{SECRET} next"))
    for _ in range(6):
        await clock.move(SAVE_SECONDS + PAUSE_SECONDS)
        assert started.run_id in bench.engine.runs
        assert written(data, SECRET) == []
    await cancel_run(bench, LOCAL_OWNER, started.run_id)

    assert (data / "inview.db-wal").stat().st_size > 0, "there is a write-ahead log, which was searched"
    assert SECRET in plain_text((await pair_of(bench, started.pair_id)).request.parts)
    assert written(data, SECRET) == []


async def test_nothing_reaches_the_disk_whatever_is_done_with_it(
    ctx: AppContext, data: Path, beside: tuple[AppContext, str]
) -> None:
    bench, conversation = beside
    first = await reply_to(bench, conversation, f"/echo {SECRET} one")
    await reply_to(bench, conversation, f"/echo {SECRET} two")
    await apply_filter(bench, LOCAL_OWNER, conversation, f"c'{SECRET}'")
    await mark_pair(bench, LOCAL_OWNER, first.pair.id, Marks(mark=Mark.IN, stars=3))
    failed = await reply_to(bench, conversation, f"{SECRET}\n/fail auth", options=ViewOptions(filter=""))
    again = await resend_pair(
        bench,
        LOCAL_OWNER,
        first.pair.id,
        ResendOptions(later=Later.KEEP, options=ViewOptions(filter="")),
        text=f"/echo {SECRET} edited",
    )
    await collect(bench, again.started.run_id)
    await restore_version(bench, LOCAL_OWNER, first.pair.id, 1)
    fork = await fork_conversation(bench, LOCAL_OWNER, conversation, [first.pair.id])
    summary = await summarise(bench, LOCAL_OWNER, conversation, ViewOptions(filter=""))
    await collect(bench, summary.started.run_id)
    await asyncio.gather(*bench.background)
    await mark_pair(bench, LOCAL_OWNER, failed.pair.id, Marks(deleted=True))
    await finish_under_way(1)
    with sqlite3.connect(data / "inview.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    connection.close()

    assert (await context_for(ctx, fork)) is bench
    assert (await list_filters(bench, LOCAL_OWNER)).history == ()
    assert written(data, SECRET) == []


async def test_usage_of_its_calls_is_in_the_ledger_on_the_disk(ctx: AppContext, beside: tuple[AppContext, str]) -> None:
    bench, conversation = beside
    await reply_to(bench, conversation, "/echo hello")

    (call,) = await calls_of(ctx, conversation)

    assert call.usage is not None
    assert call.usage.output_tokens > 0


async def test_a_kept_conversation_is_whole_on_the_disk_and_survives_the_process(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation = (await create_temporary(ctx, LOCAL_OWNER, model=MODEL, title="Mine")).id
        bench = await context_for(ctx, conversation)
        first = await reply_to(bench, conversation, f"/echo {SECRET}")
        again = await resend_pair(bench, LOCAL_OWNER, first.pair.id, text="/echo edited")
        await collect(bench, again.started.run_id)
        failed = await reply_to(bench, conversation, "/fail auth")
        summary = await summarise(bench, LOCAL_OWNER, conversation)
        await collect(bench, summary.started.run_id)
        await asyncio.gather(*bench.background)
        before = await pairs_of(bench, conversation)
        told = bench.event_bus.subscribe(LOCAL_OWNER, conversation)

        await keep_conversation(bench, LOCAL_OWNER, conversation)

        assert [event async for event in told] == [ConversationRemoved()]
        assert await context_for(ctx, conversation, failed.pair.id) is ctx
        assert await pairs_of(bench, conversation) == ()
        await reply_to(ctx, conversation, "/echo on the disk")

    async with open_app_context(settings_of(data)) as ctx:
        after = await pairs_of(ctx, conversation)
        async with ctx.store.read() as session:
            kept = await load_conversation(session, LOCAL_OWNER, conversation)
            derived = await load_conversation(session, LOCAL_OWNER, summary.conversation_id)

    assert after[:-1] == before
    assert (kept.title, kept.temporary, derived.temporary) == ("Mine", False, False)
    assert kept.checkpoint is not None
    assert written(data, SECRET) != []


async def test_a_conversation_in_which_a_reply_runs_is_not_kept(beside: tuple[AppContext, str]) -> None:
    bench, conversation = beside
    started = await send(bench, conversation, f"/rate 20\n/echo {'word ' * 100}")

    with pytest.raises(ConflictError, match="still running"):
        await keep_conversation(bench, LOCAL_OWNER, conversation)

    await cancel_run(bench, LOCAL_OWNER, started.run_id)
    await keep_conversation(bench, LOCAL_OWNER, conversation)


async def test_a_conversation_that_is_kept_is_not_kept_twice(ctx: AppContext) -> None:
    with pytest.raises(ConflictError, match="not temporary"):
        await keep_conversation(ctx, LOCAL_OWNER, await create_kept(ctx))


async def test_a_temporary_conversation_is_gone_once_it_is_deleted(
    ctx: AppContext, beside: tuple[AppContext, str]
) -> None:
    bench, conversation = beside
    ended = await reply_to(bench, conversation, "/echo hello")

    await delete_conversation(bench, LOCAL_OWNER, conversation)

    assert await context_for(ctx, conversation, ended.pair.id, ended.started.run_id) is ctx
    with pytest.raises(NotFoundError):
        await pair_of(bench, ended.pair.id)


async def test_it_is_gone_with_the_process_and_leaves_no_trace(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation = (await create_temporary(ctx, LOCAL_OWNER, model=MODEL)).id
        bench = await context_for(ctx, conversation)
        started = await send(bench, conversation, f"/rate 20\n/echo {SECRET} {'word ' * 100}")
        await wait_for_text(bench, started, 20)

    async with open_app_context(settings_of(data)) as ctx:
        assert await context_for(ctx, conversation) is ctx
        with pytest.raises(NotFoundError):
            await start_reply(ctx, LOCAL_OWNER, conversation, SendRequest("hello"))
        assert len(await calls_of(ctx, conversation)) == 1
        assert written(data, SECRET) == []


async def test_both_kinds_of_conversations_are_written_to_at_once(
    ctx: AppContext, beside: tuple[AppContext, str]
) -> None:
    bench, conversation = beside
    there = [await create_kept(ctx) for _ in range(4)]
    here = [conversation, *[(await create_temporary(ctx, LOCAL_OWNER, model=MODEL)).id for _ in range(3)]]

    ended = await asyncio.gather(
        *(reply_to(ctx, one, "/echo kept") for one in there for _ in range(1)),
        *(reply_to(bench, one, "/echo temporary") for one in here for _ in range(1)),
    )

    assert [one.text for one in ended] == ["kept"] * 4 + ["temporary"] * 4
