"""Announcements about the conversation on screen while it changes: read out, shown in the list, read again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, suppress

import pytest

from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext, context_for
from app.runs.compare.comparisons import ComparedModels, discard_comparison, keep_reply, start_comparison
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.watch.watcher import Watcher
from app.state.reply.retry import RetryState
from app.state.shell.news import NewsState
from app.state.tab import tab_watchers
from app.state.tab.tab_watchers import forget_watcher, serves
from app.state.tab.visit import VisitState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.state.usage.spent import SpentState
from tests.runs.clock import HANG_SECONDS, take_turns
from tests.runs.steps import collect, reply_to, send, wait_for_text
from tests.state.conftest import Tab
from tests.state.watched import running, watching
from tests.waiting import until


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """Show a conversation without pairs in the tab, and follow its news."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    async with watching(ctx, tab, conversation.id) as watcher:
        following = asyncio.create_task(tab.send(NewsState.follow))
        await until(lambda: tab.shows(NewsState, "conversation") == conversation.id)
        yield watcher
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


def said(tab: Tab) -> str:
    return tab.shows(NewsState, "said") or ""


async def test_begin_and_end_of_a_reply_are_announced_and_its_dot_is_shown(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    assert (said(tab), tab.shows(NewsState, "running")) == ("", False)
    started = await send(ctx, watcher.conversation_id, "/long 100 /rate 20")
    await until(lambda: said(tab) == "The reply has started.")
    assert tab.shows(NewsState, "running") is True

    await wait_for_text(ctx, started)
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    await until(lambda: said(tab) == "The reply was stopped.")
    assert tab.shows(NewsState, "running") is False


async def test_page_that_is_loaded_again_announces_what_follows(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    async with watching(ctx, tab, watcher.conversation_id):
        await reply_to(ctx, watcher.conversation_id, "/echo one")

        await until(lambda: said(tab) == "The reply is complete.")


@pytest.mark.parametrize("is_forgotten", [False, True])
async def test_news_that_began_with_the_watcher_of_the_page_before_a_reload_continue(
    ctx: AppContext, tab: Tab, *, is_forgotten: bool
) -> None:
    """The page's background handlers start at once, so they may find the watcher that the page had before."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    async with running(tab, NewsState.follow), AsyncExitStack() as before:
        await before.enter_async_context(running(tab, TranscriptState.open))
        await until(lambda: tab.shows(NewsState, "conversation") == conversation.id)
        if is_forgotten:
            forget_watcher(tab.token, conversation.id)
        else:
            await before.aclose()
            await until(lambda: not any("Watcher" in repr(task.get_coro()) for task in asyncio.all_tasks()))
        await take_turns()  # the news notice it

        async with running(tab, TranscriptState.open):
            started = await send(ctx, conversation.id, "/long 100 /rate 20")
            await until(lambda: said(tab) == "The reply has started.")
            await cancel_run(ctx, LOCAL_OWNER, started.run_id)

            await until(lambda: said(tab) == "The reply was stopped.")


async def test_news_of_a_deleted_conversation_end_and_wait_for_no_other_watcher(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tab_watchers, "ARRIVAL_SECONDS", 2 * HANG_SECONDS)
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    async with running(tab, TranscriptState.open), running(tab, NewsState.follow):
        await until(lambda: tab.shows(NewsState, "conversation") == conversation.id)

        await delete_conversation(ctx, LOCAL_OWNER, conversation.id)

        await until(lambda: tab.shows(NewsState, "conversation") == "")


async def test_watcher_of_the_page_before_is_not_followed(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    tab.path = "/"
    await tab.send(TranscriptState.open)

    await until(lambda: tab.shows(NewsState, "conversation") == "")
    assert serves(watcher, tab.token) is False


async def test_temporary_conversation_that_is_kept_is_announced_further(ctx: AppContext, tab: Tab) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{made.id}"
    async with running(tab, TranscriptState.open), running(tab, NewsState.follow):
        await until(lambda: tab.shows(NewsState, "conversation") == made.id)
        await reply_to(await context_for(ctx, made.id), made.id, "/echo one")
        await until(lambda: said(tab) == "The reply is complete.")

        await keep_conversation(await context_for(ctx, made.id), LOCAL_OWNER, made.id)
        await until(lambda: tab.shows(ChatState, "temporary") is False)
        await reply_to(ctx, made.id, "/fail auth")

        await until(lambda: said(tab).startswith("The reply failed. "))


async def test_failure_is_announced_with_its_reason(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await reply_to(ctx, watcher.conversation_id, "/fail auth")

    await until(lambda: said(tab).startswith("The reply failed. "))
    assert len(said(tab)) > len("The reply failed. ")


async def test_same_failure_is_announced_again(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await reply_to(ctx, watcher.conversation_id, "/fail auth")
    await until(lambda: said(tab).startswith("The reply failed. "))
    first = said(tab)

    await reply_to(ctx, watcher.conversation_id, "/fail auth")

    await until(lambda: said(tab).startswith("The reply failed. ") and said(tab) != first)


async def test_failure_before_the_page_followed_is_announced(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/fail auth")

    async with watching(ctx, tab, conversation.id):
        following = asyncio.create_task(tab.send(NewsState.follow))
        await until(lambda: said(tab).startswith("The reply failed. "))
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def test_announcement_ends_with_the_visit(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await reply_to(ctx, watcher.conversation_id, "/fail auth")
    await until(lambda: said(tab).startswith("The reply failed. "))

    tab.path = "/usage"
    await tab.send(VisitState.begin)

    assert said(tab) == ""


async def test_complete_reply_is_announced(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await reply_to(ctx, watcher.conversation_id, "/echo one")

    await until(lambda: said(tab) == "The reply is complete.")


async def test_title_that_was_given_elsewhere_is_read_again(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await change_conversation(ctx, LOCAL_OWNER, watcher.conversation_id, SettingChanges(title="Given elsewhere"))

    await until(lambda: tab.shows(ChatState, "title") == "Given elsewhere")


async def test_what_the_page_had_not_read_when_its_watcher_began_is_read(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(title="Before the watcher"))
    async with watching(ctx, tab, conversation.id), running(tab, NewsState.follow):
        await until(lambda: tab.shows(ChatState, "title") == "Before the watcher")


async def test_title_that_came_before_the_first_news_is_read_again(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ChatState.open)
        await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(title="Before the news"))
        await until(lambda: watcher.screen.changes == 1)
        async with running(tab, NewsState.follow):
            await until(lambda: tab.shows(ChatState, "title") == "Before the news")


async def test_first_words_of_a_conversation_become_its_name(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await reply_to(ctx, watcher.conversation_id, "/echo one")

    await until(lambda: tab.shows(ChatState, "title") == "/echo one")


async def test_title_has_the_words_of_a_comparison_while_it_waits_and_after_a_reply_is_kept(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    models = ("offline:demo", "offline:tiny")
    comparison = await start_comparison(
        ctx, LOCAL_OWNER, watcher.conversation_id, SendRequest("/echo one"), ComparedModels(models)
    )
    await until(lambda: tab.shows(ChatState, "title") == "/echo one")
    for run in comparison.runs:
        await collect(ctx, run.run_id)

    await keep_reply(ctx, LOCAL_OWNER, watcher.conversation_id, "offline:demo")

    await until(lambda: watcher.screen.comparison is None and bool(watcher.screen.pairs))
    assert tab.shows(ChatState, "tab_title") == "/echo one · Inview"


async def test_title_loses_the_words_of_a_comparison_that_is_discarded(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    models = ("offline:demo", "offline:tiny")
    await start_comparison(ctx, LOCAL_OWNER, watcher.conversation_id, SendRequest("/echo one"), ComparedModels(models))
    await until(lambda: tab.shows(ChatState, "title") == "/echo one")

    await discard_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)

    await until(lambda: tab.shows(ChatState, "title") == "New conversation")


async def test_figure_of_the_cost_follows_replies(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    following = asyncio.create_task(tab.send(SpentState.follow))
    await reply_to(ctx, watcher.conversation_id, "/echo one")
    await until(lambda: tab.shows(SpentState, "spent") is not None)
    first = tab.shows(SpentState, "spent").tokens
    assert first == "11 tokens"

    await reply_to(ctx, watcher.conversation_id, "/echo two")

    await until(lambda: tab.shows(SpentState, "spent").tokens != first)
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following


async def test_reply_that_waits_for_another_attempt_is_hurried_or_given_up(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    started = await send(ctx, watcher.conversation_id, "/fail overloaded retry-after 50 times 2")
    await until(lambda: watcher.screen.retry is not None and watcher.screen.retry.attempt == 1)
    await tab.send(RetryState.try_now, pair_id=started.pair_id)
    await until(lambda: watcher.screen.retry is not None and watcher.screen.retry.attempt == 2)

    await tab.send(RetryState.give_up, pair_id=started.pair_id)

    await collect(ctx, started.run_id)
    await until(lambda: said(tab) == "The reply was stopped.")


@pytest.mark.parametrize("pair_id", ["nobody", "", 7, None])
async def test_no_page_decides_about_such_a_reply(watcher: Watcher, tab: Tab, pair_id: object) -> None:
    await tab.send(RetryState.try_now, pair_id=pair_id)
    await tab.send(RetryState.give_up, pair_id=pair_id)

    assert watcher.screen.pairs == ()


async def test_deleted_pair_is_no_news(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    pair = (await reply_to(ctx, watcher.conversation_id, "/echo one")).pair
    await until(lambda: said(tab) == "The reply is complete.")

    await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
    await until(lambda: not watcher.screen.pairs)

    assert said(tab) == "The reply is complete."
