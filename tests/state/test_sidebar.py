from __future__ import annotations

import pytest

from app.domain.errors import NotFoundError
from app.runs.commands import LOCAL_OWNER, cancel_run, create_conversation, start_reply
from app.runs.workbench import Workbench
from app.state.sidebar import PAGE, ConversationItem, SidebarState
from app.store.conversations import list_conversations
from tests.state.conftest import Tab


def listed(tab: Tab) -> list[ConversationItem]:
    return list(tab.shows(SidebarState, "conversations"))


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
