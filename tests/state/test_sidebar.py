from __future__ import annotations

import pytest

from app.domain.conversation import ConversationKind, ConversationStatus
from app.domain.errors import NotFoundError
from app.runs.agent_commands import create_agent
from app.runs.broadcast import follow
from app.runs.commands import LOCAL_OWNER, cancel_run, change_conversation, create_conversation, start_reply
from app.runs.temporary import create_temporary
from app.runs.workbench import Workbench
from app.state.sidebar import ANY_AGENT, PAGE, AgentItem, ConversationItem, SidebarState
from app.store.conversations import list_conversations, update_conversation
from tests.state.conftest import Tab


def listed(tab: Tab) -> list[ConversationItem]:
    return list(tab.shows(SidebarState, "conversations"))


def seen(tab: Tab) -> list[ConversationItem]:
    """The rows as the page puts them together."""
    fresh: ConversationItem = tab.shows(SidebarState, "fresh")
    if not fresh.id:
        return listed(tab)
    others = [item for item in listed(tab) if item.id != fresh.id]
    place: int = tab.shows(SidebarState, "place")
    return [*others[:place], fresh, *others[place:]]


async def reply(wb: Workbench, conversation_id: str, text: str) -> None:
    """Send, and wait for the end of the reply."""
    started = await start_reply(wb, LOCAL_OWNER, conversation_id, text)
    async for _ in follow(wb, LOCAL_OWNER, started.run_id):
        pass


async def names_stored(wb: Workbench) -> list[str]:
    async with wb.store.read() as session:
        return [found.conversation.title for found in await list_conversations(session, LOCAL_OWNER, limit=100)]


async def test_list_names_untitled_conversations_by_their_first_words(wb: Workbench, tab: Tab) -> None:
    await create_conversation(wb, LOCAL_OWNER)
    untitled = await create_conversation(wb, LOCAL_OWNER)
    titled = await create_conversation(wb, LOCAL_OWNER, title="Light")
    await start_reply(wb, LOCAL_OWNER, untitled.id, "Why is   the sky\nblue?")
    await start_reply(wb, LOCAL_OWNER, titled.id, "Hello")

    await tab.send(SidebarState.load)

    assert [(item.name, item.snippet) for item in listed(tab)] == [
        ("Light", "Hello"),
        ("Why is the sky blue?", ""),
        ("New conversation", ""),
    ]


async def test_a_later_request_changes_the_words_beneath_an_untitled_conversation_not_its_name(
    wb: Workbench, tab: Tab
) -> None:
    untitled = await create_conversation(wb, LOCAL_OWNER)
    first = await start_reply(wb, LOCAL_OWNER, untitled.id, "Why is the sky blue?")
    await cancel_run(wb, LOCAL_OWNER, first.run_id)
    await start_reply(wb, LOCAL_OWNER, untitled.id, "And at dusk?")

    await tab.send(SidebarState.load)

    assert [(item.name, item.snippet) for item in listed(tab)] == [("Why is the sky blue?", "And at dusk?")]


async def test_list_marks_where_a_reply_is_running(wb: Workbench, tab: Tab) -> None:
    quiet = await create_conversation(wb, LOCAL_OWNER)
    busy = await create_conversation(wb, LOCAL_OWNER)
    await start_reply(wb, LOCAL_OWNER, busy.id, "/long 100 /rate 20")

    await tab.send(SidebarState.load)

    assert {item.id: item.running for item in listed(tab)} == {quiet.id: False, busy.id: True}


async def test_list_is_shown_by_the_page_and_grows_on_demand(wb: Workbench, tab: Tab) -> None:
    for _ in range(PAGE + 5):
        await create_conversation(wb, LOCAL_OWNER)
    await tab.send(SidebarState.load)
    assert (len(listed(tab)), tab.shows(SidebarState, "more")) == (PAGE, True)

    await tab.send(SidebarState.show_more)

    assert (len(listed(tab)), tab.shows(SidebarState, "more")) == (PAGE + 5, False)


async def test_another_owners_conversations_are_not_listed(wb: Workbench, tab: Tab) -> None:
    await create_conversation(wb, "somebody else", title="Not yours")

    await tab.send(SidebarState.load)

    assert listed(tab) == []


async def test_rename_gives_the_row_that_is_edited_a_clean_title(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, title="Old")
    await tab.send(SidebarState.begin_rename, conversation_id=conversation.id)

    await tab.send(SidebarState.rename_conversation, form={"title": "  A better \n name "})

    assert await names_stored(wb) == ["A better name"]
    assert tab.shows(SidebarState, "renaming") == ""


async def test_rename_of_another_owners_conversation_is_refused_in_words(wb: Workbench, tab: Tab) -> None:
    theirs = await create_conversation(wb, "somebody else", title="Not yours")
    await tab.send(SidebarState.begin_rename, conversation_id=theirs.id)

    with pytest.raises(NotFoundError):
        await tab.send(SidebarState.rename_conversation, form={"title": "Mine now"})

    async with wb.store.read() as session:
        kept = await list_conversations(session, "somebody else", limit=10)
    assert [found.conversation.title for found in kept] == ["Not yours"]


async def test_delete_takes_only_what_the_dialog_named(wb: Workbench, tab: Tab) -> None:
    await create_conversation(wb, LOCAL_OWNER, title="Stays")
    gone = await create_conversation(wb, LOCAL_OWNER, title="Goes")
    await tab.send(SidebarState.load)

    await tab.send(SidebarState.delete_conversation)
    assert len(await names_stored(wb)) == 2
    await tab.send(SidebarState.ask_delete, conversation_id=gone.id)
    assert tab.shows(SidebarState, "deleting_name") == "Goes"
    await tab.send(SidebarState.delete_conversation)

    assert await names_stored(wb) == ["Stays"]


async def test_dialog_does_not_open_for_what_is_not_listed(wb: Workbench, tab: Tab) -> None:
    theirs = await create_conversation(wb, "somebody else")
    await tab.send(SidebarState.load)

    await tab.send(SidebarState.ask_delete, conversation_id=theirs.id)

    assert not tab.shows(SidebarState, "deleting")


async def test_reply_changes_one_row_and_only_that_is_sent(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, title="Ours", model="offline:demo")
    await tab.send(SidebarState.load)
    tab.path = f"/c/{conversation.id}"
    await reply(wb, conversation.id, "Hello")
    before = listed(tab)

    await tab.send(SidebarState.refresh)

    fresh: ConversationItem = tab.shows(SidebarState, "fresh")
    assert (fresh.id, fresh.snippet, fresh.running) == (conversation.id, "Hello", False)
    assert listed(tab) == before


async def test_reply_in_an_older_conversation_brings_it_to_the_top_and_only_its_row_is_sent(
    wb: Workbench, tab: Tab
) -> None:
    oldest = await create_conversation(wb, LOCAL_OWNER, title="Oldest", model="offline:demo")
    older = await create_conversation(wb, LOCAL_OWNER, title="Older", model="offline:demo")
    await create_conversation(wb, LOCAL_OWNER, title="Newer")
    await create_temporary(wb, LOCAL_OWNER, title="Above all")
    await tab.send(SidebarState.load)

    async def answer(conversation_id: str) -> tuple[list[str], list[str]]:
        """The names as they are seen after a reply there, and as the list last sent has them."""
        tab.path = f"/c/{conversation_id}"
        await reply(wb, conversation_id, "Hello")
        await tab.send(SidebarState.refresh)
        return [item.name for item in seen(tab)], [item.name for item in listed(tab)]

    as_sent = ["Above all", "Newer", "Older", "Oldest"]
    assert await answer(older.id) == (["Above all", "Older", "Newer", "Oldest"], as_sent)
    assert await answer(older.id) == (["Above all", "Older", "Newer", "Oldest"], as_sent)
    assert [item.snippet for item in seen(tab)][1] == "Hello"
    as_sent = ["Above all", "Oldest", "Older", "Newer"]  # another one rises: what was sent does not tell of the first
    assert await answer(oldest.id) == (as_sent, as_sent)
    assert await answer(older.id) == (["Above all", "Older", "Oldest", "Newer"], as_sent)
    await tab.send(SidebarState.ask_delete, conversation_id=older.id)
    assert tab.shows(SidebarState, "deleting_name") == "Older"


async def test_whole_list_is_sent_when_more_than_the_row_of_the_reply_changed(wb: Workbench, tab: Tab) -> None:
    older = await create_conversation(wb, LOCAL_OWNER, title="Older", model="offline:demo")
    newer = await create_conversation(wb, LOCAL_OWNER, title="Newer")
    await tab.send(SidebarState.load)
    tab.path = f"/c/{older.id}"
    await reply(wb, older.id, "Hello")
    await change_conversation(wb, LOCAL_OWNER, newer.id, title="Called otherwise elsewhere")
    await reply(wb, older.id, "Once more")

    await tab.send(SidebarState.refresh)

    assert [item.name for item in listed(tab)] == ["Older", "Called otherwise elsewhere"]
    assert tab.shows(SidebarState, "fresh").id == ""


async def test_temporary_ones_stand_above_all_others_and_are_told_apart(wb: Workbench, tab: Tab) -> None:
    temporary = await create_temporary(wb, LOCAL_OWNER, title="Secret")
    await create_conversation(wb, LOCAL_OWNER, title="Newer")

    await tab.send(SidebarState.load)

    assert [(item.name, item.temporary) for item in listed(tab)] == [("Secret", True), ("Newer", False)]
    await tab.send(SidebarState.ask_delete, conversation_id=temporary.id)
    await tab.send(SidebarState.delete_conversation)
    assert [item.name for item in listed(tab)] == ["Newer"]
    assert tab.shows(SidebarState, "deleted") == ""


async def test_list_is_of_chats_unless_another_kind_status_or_agent_is_asked_for(wb: Workbench, tab: Tab) -> None:
    agent = await create_agent(wb, LOCAL_OWNER, {"name": "Reviewer"})
    await create_conversation(wb, LOCAL_OWNER, title="Plain", agent_id="")
    await create_conversation(wb, LOCAL_OWNER, title="Reviewed", agent_id=agent.id)
    failed = await create_conversation(wb, LOCAL_OWNER, title="Handed over", agent_id=agent.id)
    derived = {"kind": ConversationKind.TOOL, "status": ConversationStatus.FAILED}
    async with wb.store.write() as session:
        await update_conversation(session, LOCAL_OWNER, failed.id, derived)

    def names() -> list[str]:
        return [item.name for item in listed(tab)]

    await tab.send(SidebarState.load)
    assert names() == ["Reviewed", "Plain"]
    assert not tab.shows(SidebarState, "filtered")
    assert tab.shows(SidebarState, "agents") == [AgentItem(agent.id, "Reviewer")]
    await tab.send(SidebarState.show_agent, agent_id=agent.id)
    assert (names(), tab.shows(SidebarState, "filtered")) == (["Reviewed"], True)
    await tab.send(SidebarState.show_kind, kind="failed")
    assert [(item.name, item.derived) for item in listed(tab)] == [("Handed over", "Derived, failed")]
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
