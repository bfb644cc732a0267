"""The section Messages of the inspector: the stored messages of a conversation by kind, with background tasks."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import stop_run
from app.state.inspector import messages
from app.state.inspector.frame import InspectorState
from app.state.inspector.messages import MessagesState
from app.store.conversation.rows import RUN
from app.views.inspector.messages import MessageItem
from tests.runs.steps import a_conversation, collect, reply_to, send
from tests.state.conftest import Tab
from tests.state.watched import running, watching


def items(tab: Tab) -> tuple[MessageItem, ...]:
    return tab.shows(MessagesState, "items") or ()


def shown(tab: Tab) -> list[tuple[int, str]]:
    return [(item.position, item.kind) for item in items(tab)]


async def choose(tab: Tab, kind: str) -> list[tuple[int, str]]:
    await tab.send(MessagesState.choose, kind=kind)
    await tab.send(MessagesState.keep_current)
    return shown(tab)


async def test_the_list_has_each_message_with_its_start_and_tokens_the_newest_first(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pair = (await reply_to(ctx, conversation_id, "/echo one")).pair
    await reply_to(ctx, conversation_id, "/echo two")
    tab.path = f"/c/{conversation_id}"

    await tab.send(MessagesState.keep_current)

    assert shown(tab) == [(2, "Assistant"), (2, "Human"), (1, "Assistant"), (1, "Human")]
    *_, reply, request = items(tab)
    assert (request.text, request.tokens[:6], request.cached) == ("/echo one", "about ", "")
    assert pair.usage is not None
    assert reply.tokens == f"{pair.usage.prompt_tokens} in · {pair.usage.output_tokens} out"
    assert (reply.text, reply.conversation, reply.task, reply.tools) == ("one", conversation_id, "", "")
    assert not tab.shows(MessagesState, "more")


async def test_a_kind_selects_messages_and_an_unknown_kind_does_nothing(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    called = await reply_to(ctx, conversation_id, '/rate 0\n/tool nothing {"a": 1}')
    async with ctx.store.write() as session:
        usage = {"input_tokens": 20, "cache_read_tokens": 80, "output_tokens": 1}
        await session.execute(update(RUN).where(RUN.c.id == called.started.run_id).values(usage=usage, rounds=[]))
    tab.path = f"/c/{conversation_id}"

    assert await choose(tab, "human") == [(2, "Human"), (1, "Human")]
    assert await choose(tab, "assistant") == [(2, "Assistant"), (1, "Assistant")]
    assert await choose(tab, "tool") == [(2, "Assistant")]
    assert items(tab)[0].tools == "nothing"
    assert await choose(tab, "cache-hits") == [(2, "Assistant")]
    assert items(tab)[0].cached == "80 % from cache"
    assert await choose(tab, "anything") == [(2, "Assistant")]


async def test_a_reply_without_text_says_that_it_failed_and_no_tokens(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/fail auth")
    tab.path = f"/c/{conversation_id}"

    await tab.send(MessagesState.keep_current)

    assert [(item.kind, item.status, item.tokens) for item in items(tab)] == [
        ("Assistant", "Failed", ""), ("Human", "", "about 3 tokens"),
    ]  # fmt: skip
    assert not tab.shows(MessagesState, "unfinished")


async def test_a_running_reply_says_so_and_the_list_is_read_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation_id, "/rate 1\n/echo one two")
    tab.path = f"/c/{conversation_id}"

    await tab.send(MessagesState.keep_current)
    unfinished = tab.shows(MessagesState, "unfinished")
    statuses = [item.status for item in items(tab)]
    await stop_run(ctx, started.run_id)
    await tab.send(MessagesState.keep_current)

    assert (statuses, unfinished) == (["Running…", ""], True)
    assert ([item.status for item in items(tab)], tab.shows(MessagesState, "unfinished")) == (["Stopped", ""], False)


async def test_a_long_text_is_cut_with_an_ellipsis(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo " + "one " * 100)
    tab.path = f"/c/{conversation_id}"

    await tab.send(MessagesState.keep_current)

    assert [item.text[-1] for item in items(tab)] == ["…", "…"]


async def test_background_tasks_are_listed_on_request(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    summary = await summarise(ctx, LOCAL_OWNER, conversation_id)
    await collect(ctx, summary.started.run_id)
    tab.path = f"/c/{conversation_id}"
    await tab.send(MessagesState.keep_current)
    alone = [item.task for item in items(tab)]

    await tab.send(MessagesState.toggle_tasks)
    await tab.send(MessagesState.keep_current)

    assert alone == ["", ""]
    assert [item.task for item in items(tab)] == ["Summary", "Summary", "", ""]
    assert items(tab)[0].conversation == summary.conversation_id


async def test_older_messages_are_added_on_request(ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "PAGE", 1)
    conversation_id = await a_conversation(ctx, model="offline:demo")
    for text in ("one", "two", "three"):
        await reply_to(ctx, conversation_id, f"/echo {text}")
    tab.path = f"/c/{conversation_id}"
    await choose(tab, "human")
    first, more = shown(tab), tab.shows(MessagesState, "more")

    await tab.send(MessagesState.show_older)
    await tab.send(MessagesState.keep_current)
    second = shown(tab)
    await tab.send(MessagesState.show_older)
    await tab.send(MessagesState.keep_current)

    assert (first, more) == ([(3, "Human")], True)
    assert second == [(3, "Human"), (2, "Human")]
    assert shown(tab) == [(3, "Human"), (2, "Human"), (1, "Human")]
    assert not tab.shows(MessagesState, "more")


async def test_an_open_list_shows_a_new_message(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with watching(ctx, tab, conversation_id), running(tab, InspectorState.show, section="messages"):
        await tab.until(lambda: tab.shows(MessagesState, "conversation") == conversation_id)
        assert shown(tab) == []
        await reply_to(ctx, conversation_id, "/echo one")
        await tab.until(lambda: shown(tab) == [(1, "Assistant"), (1, "Human")])


async def test_messages_of_a_deleted_conversation_are_a_fault(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    tab.path = f"/c/{conversation_id}"

    await tab.send(MessagesState.keep_current)

    assert items(tab) == ()
    assert tab.shows(MessagesState, "fault") != ""
