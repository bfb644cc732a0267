from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.errors import NotFoundError, StoreError
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.child_calls.child_calls import wait_for_text
from app.runs.child_calls.titles import ask_title
from app.runs.compare.comparisons import (
    ComparedModels,
    discard_comparison,
    keep_reply,
    reopen_comparison,
    start_comparison,
)
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary
from app.runs.trash.trash import restore
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_app_context
from app.state.messages.toasts import ToastState
from app.state.sidebar import shared_list, sidebar
from app.state.sidebar.conversation_rows import ConversationItem, FoundRows, WantedList
from app.state.sidebar.sidebar import ANY_AGENT, PAGE, AgentMenuItem, SidebarState
from app.state.transcript.chat import ChatState
from app.state.undo.undo import UndoState
from app.store.conversation.conversations import update_conversation
from app.store.conversation.lists import ListCriteria, list_conversations
from tests.media.test_pictures import a_picture
from tests.runs.clock import take_turns
from tests.runs.steps import a_conversation, collect, settings_of
from tests.state.conftest import Processor, Tab


def listed(tab: Tab) -> list[ConversationItem]:
    return list(tab.shows(SidebarState, "conversations"))


async def reply(ctx: AppContext, conversation_id: str, text: str) -> None:
    """Send, and wait until the reply ends."""
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text))
    async for _ in follow(ctx, LOCAL_OWNER, started.run_id):
        pass


async def names_stored(ctx: AppContext) -> list[str]:
    async with ctx.store.read() as session:
        return [found.conversation.title for found in await list_conversations(session, LOCAL_OWNER, limit=100)]


async def test_list_names_untitled_conversations_by_their_first_words(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, LOCAL_OWNER)
    untitled = await create_conversation(ctx, LOCAL_OWNER)
    titled = await create_conversation(ctx, LOCAL_OWNER, title="Light")
    first = await start_reply(ctx, LOCAL_OWNER, untitled.id, SendRequest("**Why** is   the `sky`\nblue?"))
    await collect(ctx, first.run_id)  # the end of a reply is an activity too
    second = await start_reply(ctx, LOCAL_OWNER, titled.id, SendRequest("Hello"))
    await collect(ctx, second.run_id)
    repeated = await create_conversation(ctx, LOCAL_OWNER, title="Why the Sky is Blue")
    third = await start_reply(ctx, LOCAL_OWNER, repeated.id, SendRequest("why the sky is blue?"))
    await collect(ctx, third.run_id)

    await tab.send(SidebarState.load)

    says = "I got 1 message"
    assert [(item.name, item.snippet[: len(says)]) for item in listed(tab)] == [
        ("Why the Sky is Blue", says),
        ("Light", "Hello"),
        ("Why is the sky blue?", says),
        ("New conversation", ""),
    ]


async def test_line_beneath_a_shortened_title_does_not_begin_with_it_again(ctx: AppContext, tab: Tab) -> None:
    made = await create_conversation(ctx, LOCAL_OWNER, title="Explain recursion…")
    await collect(
        ctx, (await start_reply(ctx, LOCAL_OWNER, made.id, SendRequest("Explain recursion to a child"))).run_id
    )

    await tab.send(SidebarState.load)

    assert listed(tab)[0].snippet.startswith("I got 1 message")


@pytest.mark.parametrize(
    ("name", "data", "text", "title"),
    [
        ("cities.csv", b"city,people\n", "", "cities.csv"),
        ("cities.csv", b"city,people\n", "Which is  larger?", "Which is larger?"),
        ("dot.png", a_picture("PNG"), "", "Picture"),
    ],
)
async def test_conversation_that_begins_with_a_file_is_named_by_its_text_or_its_file(  # noqa: PLR0917 - cases
    ctx: AppContext, tab: Tab, name: str, data: bytes, text: str, title: str
) -> None:
    upload = await attach_file(ctx, LOCAL_OWNER, data, name)
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    attached = await load_attached(ctx, LOCAL_OWNER, [upload.id])
    started = await start_reply(ctx, LOCAL_OWNER, made.id, SendRequest(text, attached=attached))
    await collect(ctx, started.run_id)
    tab.path = f"/c/{made.id}"

    await tab.send(SidebarState.load)
    await tab.send(ChatState.open)

    assert names(tab) == [title]
    assert "file name=" not in listed(tab)[0].snippet
    assert tab.shows(ChatState, "tab_title") == f"{title} · Inview"
    if name != "dot.png":
        child = await ask_title(ctx, LOCAL_OWNER, made.id)
        assert await wait_for_text(ctx, LOCAL_OWNER, child) == title.removesuffix("?")


async def test_a_later_request_changes_the_words_beneath_an_untitled_conversation_not_its_name(
    ctx: AppContext, tab: Tab
) -> None:
    untitled = await create_conversation(ctx, LOCAL_OWNER)
    first = await start_reply(ctx, LOCAL_OWNER, untitled.id, SendRequest("Why is the sky blue?"))
    await cancel_run(ctx, LOCAL_OWNER, first.run_id)
    await start_reply(ctx, LOCAL_OWNER, untitled.id, SendRequest("And at dusk?"))

    await tab.send(SidebarState.load)

    assert [(item.name, item.snippet) for item in listed(tab)] == [("Why is the sky blue?", "And at dusk?")]


async def test_list_marks_where_a_reply_is_running(ctx: AppContext, tab: Tab) -> None:
    quiet = await create_conversation(ctx, LOCAL_OWNER)
    busy = await create_conversation(ctx, LOCAL_OWNER)
    await start_reply(ctx, LOCAL_OWNER, busy.id, SendRequest("/long 100 /rate 20"))

    await tab.send(SidebarState.load)

    assert {item.id: item.running for item in listed(tab)} == {quiet.id: False, busy.id: True}


async def test_list_says_where_the_newest_reply_failed_until_the_next_one_runs(ctx: AppContext, tab: Tab) -> None:
    mended, failed, again = [await create_conversation(ctx, LOCAL_OWNER) for _ in range(3)]
    for made in (mended, failed, again):
        await reply(ctx, made.id, "/fail auth")
    await reply(ctx, mended.id, "/echo yes")
    await start_reply(ctx, LOCAL_OWNER, again.id, SendRequest("/long 100 /rate 20"))

    await tab.send(SidebarState.load)

    assert {item.id: item.failed for item in listed(tab)} == {mended.id: False, failed.id: True, again.id: False}


async def test_list_is_shown_by_the_page_and_grows_on_demand(ctx: AppContext, tab: Tab) -> None:
    for _ in range(PAGE + 5):
        await create_conversation(ctx, LOCAL_OWNER)
    await tab.send(SidebarState.load)
    assert (len(listed(tab)), tab.shows(SidebarState, "more")) == (PAGE, True)

    await tab.send(SidebarState.show_more)

    assert (len(listed(tab)), tab.shows(SidebarState, "more")) == (PAGE + 5, False)


async def test_another_owners_conversations_are_not_listed(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, "somebody else", title="Not yours")

    await tab.send(SidebarState.load)

    assert listed(tab) == []


async def test_rename_gives_the_row_that_is_edited_a_clean_title(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Old")
    await tab.send(SidebarState.begin_rename, conversation_id=conversation.id)

    await tab.send(SidebarState.rename_conversation, form={"title": "  A better \n name "})

    assert await names_stored(ctx) == ["A better name"]
    assert tab.shows(SidebarState, "renaming") == ""


async def test_rename_in_the_list_and_the_removal_of_a_title_are_undone(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Old")
    for title, message in (
        ("New", "Renamed the conversation to “New”"),
        (" ", "Removed the title of the conversation"),
    ):
        await tab.send(SidebarState.begin_rename, conversation_id=conversation.id)
        await tab.send(SidebarState.rename_conversation, form={"title": title})
        assert (await names_stored(ctx), tab.shows(ToastState, "toast").message) == ([title.strip()], message)

        await tab.send(UndoState.undo_last)
        await tab.until(lambda: names(tab) == ["Old"])

        assert await names_stored(ctx) == ["Old"]


async def test_rename_to_the_same_title_has_no_undo(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Old")
    await tab.send(SidebarState.begin_rename, conversation_id=conversation.id)

    await tab.send(SidebarState.rename_conversation, form={"title": "Old"})

    assert tab.shows(ToastState, "toast") is None


async def test_rename_of_another_owners_conversation_is_refused_in_words(ctx: AppContext, tab: Tab) -> None:
    theirs = await create_conversation(ctx, "somebody else", title="Not yours")
    await tab.send(SidebarState.begin_rename, conversation_id=theirs.id)

    with pytest.raises(NotFoundError):
        await tab.send(SidebarState.rename_conversation, form={"title": "Mine now"})

    async with ctx.store.read() as session:
        kept = await list_conversations(session, "somebody else", limit=10)
    assert [found.conversation.title for found in kept] == ["Not yours"]


async def test_delete_takes_only_what_the_dialog_named(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, LOCAL_OWNER, title="Stays")
    gone = await create_conversation(ctx, LOCAL_OWNER, title="Goes")
    await tab.send(SidebarState.load)

    await tab.send(SidebarState.delete_conversation)
    assert len(await names_stored(ctx)) == 2
    await tab.send(SidebarState.ask_delete, conversation_id=gone.id)
    assert tab.shows(SidebarState, "deleting_name") == "Goes"
    await tab.send(SidebarState.delete_conversation)

    assert await names_stored(ctx) == ["Stays"]
    assert tab.way == []


async def test_conversation_on_screen_that_is_deleted_is_left_and_its_undo_leads_back(
    ctx: AppContext, tab: Tab
) -> None:
    gone = await create_conversation(ctx, LOCAL_OWNER, title="Goes")
    tab.path = f"/c/{gone.id}"
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.ask_delete, conversation_id=gone.id)

    await tab.send(SidebarState.delete_conversation)
    assert tab.way == ["/"]
    toast = tab.shows(ToastState, "toast")
    assert toast.message == "Deleted the conversation “Goes”"
    await tab.send(ToastState.undo, toast_id=toast.id)

    assert tab.way == ["/", f"/c/{gone.id}"]
    assert await names_stored(ctx) == ["Goes"]
    assert names(tab) == ["Goes"]


async def test_keys_lead_from_one_conversation_of_the_list_to_its_neighbours(ctx: AppContext, tab: Tab) -> None:
    below, above = [(await create_conversation(ctx, LOCAL_OWNER, title=title)).id for title in ("Below", "Above")]
    await tab.send(SidebarState.load)
    for by in (1, 1, 1, -1, -1):  # three steps from the first page, where the last one has no effect; then back
        places = len(tab.way)
        await tab.send(SidebarState.step, by=by)
        tab.path = tab.way[-1] if len(tab.way) > places else tab.path

    assert tab.way == [f"/c/{above}", f"/c/{below}", f"/c/{above}"]
    assert tab.shows(ToastState, "toast").message.startswith("No more conversations")


async def test_keys_pressed_faster_than_the_page_follows_continue_from_the_last_target(
    ctx: AppContext, tab: Tab
) -> None:
    made = [(await create_conversation(ctx, LOCAL_OWNER, title=title)).id for title in "abcde"]
    fifth, fourth, third, second, first = (f"/c/{each}" for each in made)
    tab.path = first

    async def press(by: int = 1) -> None:
        await tab.send(SidebarState.step, by=by)

    async def show(path: str) -> None:
        tab.path = path
        await tab.send(SidebarState.load)

    await show(first)
    await press()
    await press()
    assert tab.way == [second, third]
    await show(second)
    await press()
    assert tab.way[2:] == [fourth]
    tab.path = fourth  # shown, not loaded yet
    await press()
    assert tab.way[3:] == [fifth]

    await show(first)  # clicked meanwhile
    await press()
    await show(second)
    await press(-1)
    assert tab.way[4:] == [second, first]


async def test_dialog_does_not_open_for_what_is_not_listed(ctx: AppContext, tab: Tab) -> None:
    theirs = await create_conversation(ctx, "somebody else")
    await tab.send(SidebarState.load)

    await tab.send(SidebarState.ask_delete, conversation_id=theirs.id)

    assert not tab.shows(SidebarState, "deleting")


@asynccontextmanager
async def following(tab: Tab) -> AsyncGenerator[None]:
    """Let the page follow the list, as it does while it is open."""
    await tab.send(SidebarState.load)
    task = asyncio.create_task(tab.send(SidebarState.follow))
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@asynccontextmanager
async def opened(tab: Tab) -> AsyncGenerator[None]:
    """Let the page load the list and follow it, as each page does."""
    task = asyncio.create_task(tab.send(SidebarState.open))
    await tab.until(lambda: tab.shows(SidebarState, "loaded") is True)
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def names(tab: Tab) -> list[str]:
    return [item.name for item in listed(tab)]


async def until_listed(tab: Tab, *titles: str) -> None:
    """Wait until the tab lists these conversations, in this order."""
    await tab.until(lambda: names(tab) == list(titles))


async def test_each_change_elsewhere_reaches_the_list_of_an_open_page(ctx: AppContext, tab: Tab) -> None:
    first = await create_conversation(ctx, LOCAL_OWNER, title="First", model="offline:demo")
    async with following(tab):
        await create_conversation(ctx, LOCAL_OWNER, title="Second")
        await tab.until(lambda: names(tab) == ["Second", "First"])

        await change_conversation(ctx, LOCAL_OWNER, first.id, SettingChanges(title="Renamed"))
        await tab.until(lambda: names(tab) == ["Second", "Renamed"])
        await reply(ctx, first.id, "Hello")
        await tab.until(lambda: ("Renamed", "Hello") in [(item.name, item.snippet) for item in listed(tab)])
        await delete_conversation(ctx, LOCAL_OWNER, first.id)
        await tab.until(lambda: names(tab) == ["Second"])
        await restore(ctx, LOCAL_OWNER, first.id)
        await tab.until(lambda: names(tab) == ["Renamed", "Second"])
        await create_temporary(ctx, LOCAL_OWNER, title="Temporary")
        await tab.until(lambda: names(tab) == ["Temporary", "Renamed", "Second"])


async def test_reply_in_an_older_conversation_brings_it_to_the_top_and_it_stays_there(
    ctx: AppContext, tab: Tab
) -> None:
    older = await create_conversation(ctx, LOCAL_OWNER, title="Older", model="offline:demo")
    await create_conversation(ctx, LOCAL_OWNER, title="Newer")
    async with following(tab):
        assert names(tab) == ["Newer", "Older"]
        await reply(ctx, older.id, "Once more")
        await tab.until(lambda: names(tab) == ["Older", "Newer"])

    await tab.send(SidebarState.load)
    assert names(tab) == ["Older", "Newer"]


async def test_the_dot_of_a_reply_comes_and_goes(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Slow", model="offline:demo")
    async with following(tab):
        run = await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("/long 400 /rate 20"))
        await tab.until(lambda: listed(tab)[0].running)
        await cancel_run(ctx, LOCAL_OWNER, run.run_id)

        await tab.until(lambda: not listed(tab)[0].running)


async def test_list_that_changed_between_its_reading_and_its_following_is_read_again(ctx: AppContext, tab: Tab) -> None:
    await tab.send(SidebarState.load)
    await create_conversation(ctx, LOCAL_OWNER, title="In between")

    task = asyncio.create_task(tab.send(SidebarState.follow))
    await tab.until(lambda: names(tab) == ["In between"])
    task.cancel()


async def test_temporary_conversations_are_listed_above_all_others_and_marked(ctx: AppContext, tab: Tab) -> None:
    temporary = await create_temporary(ctx, LOCAL_OWNER, title="Secret")
    await create_conversation(ctx, LOCAL_OWNER, title="Newer")

    await tab.send(SidebarState.load)

    assert [(item.name, item.temporary) for item in listed(tab)] == [("Secret", True), ("Newer", False)]
    await tab.send(SidebarState.ask_delete, conversation_id=temporary.id)
    await tab.send(SidebarState.delete_conversation)
    assert [item.name for item in listed(tab)] == ["Newer"]
    assert tab.shows(ToastState, "toast") is None


async def test_list_is_of_chats_unless_another_kind_status_or_agent_is_asked_for(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer"})
    await create_conversation(ctx, LOCAL_OWNER, title="Plain", agent_id="")
    await create_conversation(ctx, LOCAL_OWNER, title="Reviewed", agent_id=agent.id)
    failed = await create_conversation(ctx, LOCAL_OWNER, title="Handed over", agent_id=agent.id)
    derived = {"kind": ConversationKind.TOOL, "status": ConversationStatus.FAILED}
    async with ctx.store.write() as session:
        await update_conversation(session, LOCAL_OWNER, failed.id, derived)

    def names() -> list[str]:
        return [item.name for item in listed(tab)]

    await tab.send(SidebarState.load)
    assert names() == ["Reviewed", "Plain"]
    assert not tab.shows(SidebarState, "filtered")
    assert tab.shows(SidebarState, "agents") == (AgentMenuItem(agent.id, "Reviewer"),)
    await tab.send(SidebarState.show_agent, agent_id=agent.id)
    assert (names(), tab.shows(SidebarState, "filtered")) == (["Reviewed"], True)
    await tab.send(SidebarState.show_kind, kind="failed")
    assert [(item.name, item.derived) for item in listed(tab)] == [("Handed over", "Background task, failed")]
    await tab.send(SidebarState.show_kind, kind="completed")
    assert names() == []
    await tab.send(SidebarState.show_kind, kind="all")
    assert names() == ["Handed over", "Reviewed"]
    await tab.send(SidebarState.show_agent, agent_id="")
    assert names() == ["Plain"]
    await tab.send(SidebarState.show_kind, kind="nonsense")
    assert names() == ["Plain"]
    await tab.send(SidebarState.show_agent, agent_id="nobody")
    assert (names(), tab.shows(SidebarState, "agent")) == (["Handed over", "Reviewed", "Plain"], ANY_AGENT)
    await tab.send(SidebarState.show_chats)
    assert (names(), tab.shows(SidebarState, "filtered")) == (["Reviewed", "Plain"], False)


async def test_the_search_field_lists_what_has_the_words_with_the_pair_they_lead_to(ctx: AppContext, tab: Tab) -> None:
    found, other = (
        await create_conversation(ctx, LOCAL_OWNER),
        await create_conversation(ctx, LOCAL_OWNER, title="Else"),
    )
    await reply(ctx, found.id, "/rate 0 /echo first")
    await reply(ctx, found.id, "/rate 0 /echo bread in the garden")
    await tab.send(SidebarState.load)

    await tab.send(SidebarState.search, words="garden br")

    (row,) = listed(tab)
    assert (row.id, row.path) == (found.id, f"/c/{found.id}?at=2")
    assert {piece.text for piece in row.excerpt if piece.found} == {"bread", "garden"}
    assert (tab.shows(SidebarState, "searching"), tab.shows(SidebarState, "complete")) == (True, True)
    await tab.send(SidebarState.search, words="  ")
    assert {row.id: row.path for row in listed(tab)} == {one.id: f"/c/{one.id}" for one in (found, other)}
    assert tab.shows(SidebarState, "searching") is False


@pytest.mark.parametrize(("words", "unspaced"), [("zzzz", False), ("用 Python", True), ("ไทย", True), ("Füße", False)])
async def test_the_hint_on_joined_letters_is_only_for_searches_that_have_such_letters(
    ctx: AppContext, tab: Tab, words: str, unspaced: bool
) -> None:
    await tab.send(SidebarState.search, words=words)

    assert tab.shows(SidebarState, "unspaced") is unspaced


async def test_search_field_is_another_one_only_if_the_page_is_loaded_again_with_words_in_it(tab: Tab) -> None:
    await tab.connect("first", anew=True)
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.search, words="bread")
    await tab.send(SidebarState.load)
    assert tab.shows(SidebarState, "kept_words") in {None, ""}
    await tab.connect("second")
    await tab.send(SidebarState.load)
    assert tab.shows(SidebarState, "kept_words") in {None, ""}

    await tab.connect("third", anew=True)
    await tab.send(SidebarState.load)

    assert tab.shows(SidebarState, "kept_words") == "bread"


async def test_any_words_can_be_searched_for(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, LOCAL_OWNER, title="Bread")

    for words in ('"', "NEAR(", "a AND OR", "-", "title:", "\ud800", "*" * 2_000, 7, None):
        await tab.send(SidebarState.search, words=words)
        assert [item.name for item in listed(tab)] in ([], ["Bread"])


async def test_a_temporary_conversation_is_found_where_it_is_and_nowhere_else(ctx: AppContext, tab: Tab) -> None:
    beside = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo", title="Secret bread")

    await tab.send(SidebarState.search, words="bread")

    assert [(item.id, item.temporary) for item in listed(tab)] == [(beside.id, True)]
    async with ctx.store.read() as session:
        assert (await session.execute(text("SELECT count(*) FROM search_text"))).scalar_one() == 0


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[WantedList]:
    """The readings of lists for the tabs that follow them."""
    made: list[WantedList] = []
    read = shared_list.read_list

    async def counted(of: AppContext, wanted: WantedList) -> FoundRows:
        made.append(wanted)
        return await read(of, wanted)

    monkeypatch.setattr(shared_list, "read_list", counted)
    return made


async def test_tabs_with_the_same_list_get_the_rows_of_one_reading(
    ctx: AppContext, processor: Processor, readings: list[WantedList]
) -> None:
    tabs = [Tab(processor) for _ in range(5)]
    async with AsyncExitStack() as stack:
        for each in tabs:
            await stack.enter_async_context(following(each))
        for title in ("First", "Second", "Third"):  # so close together that they are read once
            await create_conversation(ctx, LOCAL_OWNER, title=title)
        for each in tabs:
            await until_listed(each, "Third", "Second", "First")
        assert len(readings) == 1

        await create_conversation(ctx, LOCAL_OWNER, title="Later")
        for each in tabs:
            await until_listed(each, "Later", "Third", "Second", "First")

    assert len(readings) == 2
    assert len({id(each.shows(SidebarState, "conversations")) for each in tabs}) == 1


async def test_a_tab_with_another_list_gets_its_own_reading(
    ctx: AppContext, processor: Processor, readings: list[WantedList]
) -> None:
    tab, searching = Tab(processor), Tab(processor)
    async with following(tab), following(searching):
        await searching.send(SidebarState.search, words="bread")
        await create_conversation(ctx, LOCAL_OWNER, title="Butter")
        await create_conversation(ctx, LOCAL_OWNER, title="Bread")
        await until_listed(tab, "Bread", "Butter")
        await until_listed(searching, "Bread")

    assert sorted(wanted.words for wanted in readings) == ["", "bread"]


async def test_a_change_that_alters_no_row_is_not_sent(ctx: AppContext, tab: Tab, readings: list[WantedList]) -> None:
    kept = await create_conversation(ctx, LOCAL_OWNER, title="Kept", model="offline:demo")
    async with following(tab):
        await create_conversation(ctx, LOCAL_OWNER, title="New")
        await until_listed(tab, "New", "Kept")
        tab.log.clear()
        ctx.event_bus.publish(LOCAL_OWNER, kept.id, PairsChanged(()))  # a star, for example
        await shared_list.share_list(ctx, readings[0]).read(ctx.event_bus.list_version(LOCAL_OWNER))
        await take_turns()
        await create_conversation(ctx, LOCAL_OWNER, title="Newest")
        await until_listed(tab, "Newest", "New", "Kept")

    rows = tab.received(SidebarState, "conversations")
    assert [[row.name for row in each] for each in rows] == [["Newest", "New", "Kept"]]


async def test_rows_that_did_not_change_are_the_same_objects_after_another_reading(ctx: AppContext, tab: Tab) -> None:
    first = await create_conversation(ctx, LOCAL_OWNER, title="First")
    async with following(tab):
        await create_conversation(ctx, LOCAL_OWNER, title="Second")
        await until_listed(tab, "Second", "First")
        before = {row.id: row for row in listed(tab)}
        await create_conversation(ctx, LOCAL_OWNER, title="Third")
        await until_listed(tab, "Third", "Second", "First")

    assert all(before[row.id] is row for row in listed(tab)[1:])
    assert before[first.id].name == "First"


async def test_a_tab_that_is_closed_does_not_end_the_reading_of_the_others(
    ctx: AppContext, processor: Processor
) -> None:
    tab = Tab(processor)
    async with following(tab):
        async with following(Tab(processor)):
            await create_conversation(ctx, LOCAL_OWNER, title="Seen")
            await asyncio.sleep(0.05)  # both wait for the reading now

        await until_listed(tab, "Seen")


async def test_a_title_that_is_changed_in_the_tab_and_then_changed_back_elsewhere_is_shown(
    ctx: AppContext, tab: Tab
) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Original")
    async with following(tab):
        await create_conversation(ctx, LOCAL_OWNER, title="Another")
        await until_listed(tab, "Another", "Original")
        await tab.send(SidebarState.begin_rename, conversation_id=conversation.id)
        await tab.send(SidebarState.rename_conversation, form={"title": "Changed"})
        assert set(names(tab)) == {"Another", "Changed"}
        await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(title="Original"))

        await tab.until(lambda: set(names(tab)) == {"Another", "Original"})


async def test_rows_are_as_new_as_the_last_change_also_if_a_reading_was_under_way(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, read = asyncio.Event(), asyncio.Event(), shared_list.read_list

    async def read_slowly(of: AppContext, wanted: WantedList) -> FoundRows:
        found = await read(of, wanted)
        begun.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(shared_list, "read_list", read_slowly)
    shared = shared_list.share_list(ctx, WantedList(ListCriteria(), "", 5))
    before = asyncio.create_task(shared.read(0))
    await begun.wait()
    await create_conversation(ctx, LOCAL_OWNER, title="New")
    after = asyncio.create_task(shared.read(ctx.event_bus.list_version(LOCAL_OWNER)))
    await asyncio.sleep(0)  # it waits for the reading that is under way
    go_on.set()

    assert (await before).rows == ()
    assert [row.name for row in (await after).rows] == ["New"]


async def test_tabs_that_wait_for_a_reading_go_on_in_different_turns_of_the_event_loop(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_list, "SETTLE_SECONDS", 0.01)
    shared, loop = shared_list.share_list(ctx, WantedList(ListCriteria(), "", 5)), asyncio.get_running_loop()
    turns, seen = [0], list[int]()

    def count() -> None:
        turns[0] += 1
        if len(seen) < 3:
            loop.call_soon(count)

    async def wait() -> None:
        await shared.read(0)
        seen.append(turns[0])

    count()
    await asyncio.gather(wait(), wait(), wait())

    assert len(set(seen)) == 3  # so the streams of replies are read and shown in between


async def test_a_list_is_shared_only_while_a_tab_follows_it(ctx: AppContext) -> None:
    wanted = WantedList(ListCriteria(), "", 5)
    shared = shared_list.share_list(ctx, wanted)
    assert shared_list.share_list(ctx, wanted) is shared
    await shared.read(0)
    version = shared.version

    del shared
    gc.collect()

    assert (version, shared_list.share_list(ctx, wanted).version) == (0, -1)


async def test_a_tab_whose_list_is_not_on_screen_reads_nothing_until_it_is(
    ctx: AppContext, processor: Processor, readings: list[WantedList]
) -> None:
    here, there = await create_conversation(ctx, LOCAL_OWNER, title="Here"), Tab(processor)
    tab = Tab(processor, path=f"/c/{here.id}")
    await there.send(SidebarState.show_kind, kind="all")
    async with following(tab), following(there):
        await tab.send(SidebarState.look, on=False)
        await create_conversation(ctx, LOCAL_OWNER, title="New")
        await until_listed(there, "New", "Here")
        assert [wanted.criteria for wanted in readings] == [ListCriteria()]  # of the other tab alone
        await tab.send(SidebarState.load)  # it goes to another conversation
        assert names(tab) == ["Here"]

        await tab.send(SidebarState.look, on=True)
        assert names(tab) == ["New", "Here"]
        await create_conversation(ctx, LOCAL_OWNER, title="Newest")
        await until_listed(tab, "Newest", "New", "Here")


async def test_a_list_that_has_not_changed_is_not_read_when_it_comes_on_screen(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, LOCAL_OWNER, title="Kept")
    await tab.send(SidebarState.load)
    tab.log.clear()

    for on in (False, True, "nonsense", True):
        await tab.send(SidebarState.look, on=on)

    assert tab.received(SidebarState, "conversations") == []


async def test_the_start_page_shows_recent_conversations_while_the_list_is_not_on_screen(
    ctx: AppContext, tab: Tab
) -> None:
    async with following(tab):
        await tab.send(SidebarState.look, on=False)
        await create_conversation(ctx, LOCAL_OWNER, title="Recent")

        await until_listed(tab, "Recent")


async def test_a_page_that_is_loaded_again_has_its_list_on_screen_until_it_says_otherwise(
    ctx: AppContext, tab: Tab
) -> None:
    tab.path = f"/c/{(await create_conversation(ctx, LOCAL_OWNER, title='Here')).id}"
    await tab.connect("first", anew=True)
    async with opened(tab):
        await tab.send(SidebarState.look, on=False)
    await create_conversation(ctx, LOCAL_OWNER, title="New")
    await tab.connect("second")  # the connection was lost
    async with opened(tab):
        await asyncio.sleep(0)
    assert names(tab) == ["Here"]

    await tab.connect("third", anew=True)
    async with opened(tab):
        await until_listed(tab, "New", "Here")


async def test_a_report_that_comes_before_the_list_is_opened_holds(
    ctx: AppContext, processor: Processor, readings: list[WantedList]
) -> None:
    here, there = await create_conversation(ctx, LOCAL_OWNER, title="Here"), Tab(processor)
    tab = Tab(processor, path=f"/c/{here.id}")
    await there.send(SidebarState.show_kind, kind="all")
    await tab.connect("first", anew=True)
    await tab.send(SidebarState.look, on=False)
    async with opened(tab), following(there):
        await create_conversation(ctx, LOCAL_OWNER, title="New")
        await until_listed(there, "New", "Here")

    assert [wanted.criteria for wanted in readings] == [ListCriteria()]  # of the other tab alone


async def test_a_list_that_could_not_be_read_is_read_when_it_comes_on_screen_again(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> FoundRows:
        raise StoreError("The data could not be read.")

    tab.path = f"/c/{(await create_conversation(ctx, LOCAL_OWNER, title='Here')).id}"
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.look, on=False)
    await create_conversation(ctx, LOCAL_OWNER, title="New")
    with monkeypatch.context() as failing:
        failing.setattr(sidebar, "read_list", fail)
        with suppress(StoreError):
            await tab.send(SidebarState.look, on=True)
    assert names(tab) == ["Here"]

    for on in (False, True):
        await tab.send(SidebarState.look, on=on)

    assert names(tab) == ["New", "Here"]


async def test_keys_and_the_dialog_use_the_current_list_while_it_is_not_on_screen(ctx: AppContext, tab: Tab) -> None:
    here = await create_conversation(ctx, LOCAL_OWNER, title="Here")
    tab.path = f"/c/{here.id}"
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.look, on=False)
    above = await create_conversation(ctx, LOCAL_OWNER, title="Above")

    await tab.send(SidebarState.step, by=-1)
    assert tab.way == [f"/c/{above.id}"]
    await change_conversation(ctx, LOCAL_OWNER, here.id, SettingChanges(title="Renamed"))
    await tab.send(SidebarState.ask_delete, conversation_id=here.id)
    assert tab.shows(SidebarState, "deleting_name") == "Renamed"


async def test_query_whose_page_has_left_ends_before_the_database_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks, reading = asyncio.Event(), set[asyncio.Task[Any] | None]()

    async def read_forever(*_: object, **__: object) -> None:
        reading.add(asyncio.current_task())
        asks.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(shared_list, "read_list", read_forever)
    async with open_app_context(settings_of(tmp_path)) as ctx:
        page = asyncio.create_task(shared_list.share_list(ctx, WantedList(ListCriteria(), "", 5)).read(0))
        await asks.wait()
        page.cancel()

    assert not reading & asyncio.all_tasks()


async def test_comparison_that_waits_for_a_choice_is_listed_as_such_until_a_reply_is_kept(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    async with following(tab):
        models = ("offline:demo", "offline:tiny")
        comparison = await start_comparison(
            ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Why?"), ComparedModels(models)
        )
        await tab.until(
            lambda: [(row.name, row.snippet) for row in listed(tab)] == [("/echo Why?", "Comparing 2 replies")]
        )
        for run in comparison.runs:
            await collect(ctx, run.run_id)

        await discard_comparison(ctx, LOCAL_OWNER, conversation_id)
        await tab.until(lambda: names(tab) == ["New conversation"])
        await reopen_comparison(ctx, LOCAL_OWNER, conversation_id)
        await tab.until(lambda: names(tab) == ["/echo Why?"])
        await keep_reply(ctx, LOCAL_OWNER, conversation_id, "offline:tiny")

        await tab.until(lambda: [(row.name, row.snippet) for row in listed(tab)] == [("/echo Why?", "Why?")])
