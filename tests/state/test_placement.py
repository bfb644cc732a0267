"""Rows of the list pinned, archived, moved to folders and deleted, one or several at once, with Undo."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.placement import MAX_FOLDER_NAME
from app.runs.library.folder_commands import create_folder, list_folders, mark_as_read
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER, cancel_run, create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.temporary import create_temporary
from app.runs.watch.broadcast import watch
from app.runs.workbench import Workbench
from app.state.conversation_rows import ListCounts
from app.state.folders import FolderState
from app.state.placement import NO_FOLDER, PlacementState
from app.state.sidebar import ARCHIVED, CHATS, FOLDER, SidebarState
from app.state.toasts import ToastState
from app.store.conversation.conversations import list_conversations, update_conversation
from app.store.conversation.wanted import Wanted
from tests.runs.steps import collect, reply_to
from tests.state.conftest import Tab


@pytest.fixture
async def three(wb: Workbench, tab: Tab) -> list[str]:
    """Conversations a, b and c, the last one on top, in a list that is shown."""
    ids = [(await create_conversation(wb, LOCAL_OWNER, title=title)).id for title in "abc"]
    await tab.send(SidebarState.load)
    return ids


def names(tab: Tab) -> list[str]:
    return [item.name for item in tab.shows(SidebarState, "conversations")]


def headings(tab: Tab) -> list[tuple[str, str]]:
    return [(item.heading, item.name) for item in tab.shows(SidebarState, "conversations") if item.heading]


def unread(tab: Tab) -> list[str]:
    return [item.name for item in tab.shows(SidebarState, "conversations") if item.unread]


def said(tab: Tab) -> str:
    return tab.shows(ToastState, "toast").message


async def undo(tab: Tab) -> None:
    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)


async def show(tab: Tab, kind: str) -> list[str]:
    await tab.send(SidebarState.show_kind, kind=kind)
    return names(tab)


async def test_a_pinned_conversation_stands_above_the_others_and_undo_puts_it_back(tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.toggle_pin, conversation_id=three[0])

    assert names(tab) == ["a", "c", "b"]
    assert headings(tab) == [("Pinned", "a"), ("Today", "c")]
    assert said(tab) == "Pinned “a”"
    await undo(tab)
    assert headings(tab) == [("Today", "c")]


async def test_the_list_is_grouped_by_day(wb: Workbench, tab: Tab, three: list[str]) -> None:
    for conversation_id, days in zip(three, (1, 5, 20), strict=True):
        async with wb.store.write() as session:
            changes = {"updated_at": now() - timedelta(days=days)}
            await update_conversation(session, LOCAL_OWNER, conversation_id, changes)

    await tab.send(SidebarState.load)

    assert headings(tab) == [("Yesterday", "a"), ("Last 7 days", "b"), ("Last 30 days", "c")]


async def test_an_archived_conversation_is_listed_elsewhere_and_found_by_a_search(tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.toggle_pin, conversation_id=three[1])
    await tab.send(PlacementState.toggle_archive, conversation_id=three[1])

    assert names(tab) == ["c", "a"]
    await tab.send(SidebarState.search, words="b")
    assert names(tab) == ["b"]
    await tab.send(SidebarState.search, words="")
    assert await show(tab, ARCHIVED) == ["b"]
    await tab.send(PlacementState.toggle_archive, conversation_id=three[1])
    assert names(tab) == []
    assert await show(tab, CHATS) == ["c", "b", "a"]
    assert headings(tab) == [("Today", "c")]  # archiving unpinned it


async def test_a_conversation_is_moved_to_a_folder_and_out_of_it(wb: Workbench, tab: Tab, three: list[str]) -> None:
    folder = await create_folder(wb, LOCAL_OWNER, "Work")
    await tab.send(SidebarState.load)
    await tab.send(PlacementState.ask_move, conversation_id=three[0])
    assert [row.name for row in tab.shows(PlacementState, "rows")] == ["No folder", "Work"]
    assert tab.shows(PlacementState, "moving_in") == NO_FOLDER

    await tab.send(PlacementState.move, folder_id=folder.id)

    assert (names(tab), said(tab)) == (["c", "b"], "Moved 1 conversation")
    assert tab.shows(SidebarState, "folders")[0].count == 1
    assert await show(tab, f"{FOLDER}{folder.id}") == ["a"]
    assert tab.shows(SidebarState, "folder").name == "Work"
    await tab.send(PlacementState.ask_move, conversation_id=three[0])
    await tab.send(PlacementState.move, folder_id=NO_FOLDER)
    assert names(tab) == []


async def test_what_is_dropped_on_a_folder_is_moved_there(wb: Workbench, tab: Tab, three: list[str]) -> None:
    folder = await create_folder(wb, LOCAL_OWNER, "Work")

    await tab.send(PlacementState.begin_drag, conversation_id=three[2])
    await tab.send(PlacementState.drop, folder_id=folder.id)
    await tab.send(PlacementState.drop, folder_id=folder.id)

    assert names(tab) == ["b", "a"]


async def test_several_are_moved_to_a_new_folder_and_undo_puts_each_back(
    wb: Workbench, tab: Tab, three: list[str]
) -> None:
    await tab.send(PlacementState.toggle_pin, conversation_id=three[1])
    await tab.send(PlacementState.begin_select, conversation_id=three[0])
    await tab.send(PlacementState.tick, conversation_id=three[1], ticked=True)
    await tab.send(PlacementState.ask_move_selected)
    await tab.send(PlacementState.move_to_new, form={"name": "   "})
    assert "blank" in tab.shows(PlacementState, "fault")

    await tab.send(PlacementState.move_to_new, form={"name": " New  one "})

    assert names(tab) == ["c"]
    assert [(one.name, one.count) for one in await list_folders(wb, LOCAL_OWNER)] == [("New one", 2)]
    assert tab.shows(PlacementState, "selecting") is False
    await undo(tab)
    assert names(tab) == ["b", "c", "a"]


async def test_all_that_are_listed_are_archived_at_once_and_come_back(tab: Tab, three: list[str]) -> None:
    assert three
    await tab.send(PlacementState.begin_select, conversation_id="")
    await tab.send(PlacementState.tick_all)

    await tab.send(PlacementState.archive_selected)

    assert (names(tab), said(tab)) == ([], "Archived 3 conversations")
    await undo(tab)
    assert names(tab) == ["c", "b", "a"]


async def test_several_are_deleted_and_undo_restores_them(wb: Workbench, tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.begin_select, conversation_id=three[0])
    await tab.send(PlacementState.tick, conversation_id=three[2], ticked=True)
    await tab.send(PlacementState.tick, conversation_id="not there", ticked=True)

    await tab.send(PlacementState.delete_selected)

    assert (names(tab), said(tab)) == (["b"], "Deleted 2 conversations")
    await undo(tab)
    assert names(tab) == ["c", "b", "a"]


async def test_a_folder_is_made_renamed_deleted_and_brought_back_with_what_was_in_it(
    wb: Workbench, tab: Tab, three: list[str]
) -> None:
    await tab.send(FolderState.ask_new)
    await tab.send(FolderState.save, form={"name": "x" * (MAX_FOLDER_NAME + 1)})
    assert "are the most" in tab.shows(FolderState, "fault")
    await tab.send(FolderState.save, form={"name": "Work"})
    folder = tab.shows(SidebarState, "folder")
    assert (folder.name, names(tab)) == ("Work", [])
    await tab.send(FolderState.ask_rename, folder_id=folder.id)
    await tab.send(FolderState.save, form={"name": "Home"})
    assert tab.shows(SidebarState, "folder").name == "Home"
    await tab.send(PlacementState.begin_drag, conversation_id=three[0])
    await tab.send(PlacementState.drop, folder_id=folder.id)
    assert names(tab) == ["a"]

    await tab.send(FolderState.delete, folder_id=folder.id)

    assert (names(tab), tab.shows(SidebarState, "folders")) == (["c", "b", "a"], ())
    await undo(tab)
    assert (names(tab), tab.shows(SidebarState, "folder").name) == (["a"], "Home")
    assert len(await list_folders(wb, LOCAL_OWNER)) == 1


async def test_a_folder_that_is_gone_is_said_and_the_chats_are_listed(tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.begin_drag, conversation_id=three[0])
    await tab.send(PlacementState.drop, folder_id="gone")

    assert tab.shows(ToastState, "toast").fault
    assert await show(tab, f"{FOLDER}gone") == ["c", "b", "a"]


@pytest.mark.parametrize("value", [None, 7, "", "nothing"])
async def test_nothing_is_done_to_what_is_no_conversation(
    wb: Workbench, tab: Tab, three: list[str], value: Any
) -> None:
    for handler in (
        PlacementState.show_menu,
        PlacementState.toggle_pin,
        PlacementState.toggle_archive,
        PlacementState.toggle_unread,
        PlacementState.ask_move,
    ):
        await tab.send(handler, conversation_id=value)

    assert tab.shows(PlacementState, "menu") is None
    assert not tab.shows(PlacementState, "moving")
    async with wb.store.read() as session:
        wanted = Wanted(kind=ConversationKind.AGENT, pinned=False, archived=False, folder_id="")
        assert len(await list_conversations(session, LOCAL_OWNER, limit=10, wanted=wanted)) == len(three)


async def test_the_menu_of_a_row_says_what_is_known_of_it(wb: Workbench, tab: Tab) -> None:
    one = await create_conversation(wb, LOCAL_OWNER, title="a", model="offline:demo")
    await collect(wb, (await start_reply(wb, LOCAL_OWNER, NewSend(one.id, "/echo Hello"))).run_id)

    await tab.send(PlacementState.show_menu, conversation_id=one.id)

    menu = tab.shows(PlacementState, "menu")
    assert (menu.name, menu.pair_count, menu.model, menu.failed) == ("a", 1, "demo", False)
    assert tab.shows(PlacementState, "menu_cost") == "free"
    await tab.send(PlacementState.close_menu)
    assert tab.shows(PlacementState, "menu") is None


async def test_a_reply_that_ends_while_no_page_shows_it_marks_its_conversation_as_unread(
    wb: Workbench, tab: Tab, three: list[str]
) -> None:
    await reply_to(wb, three[0], "/echo Hello")

    await tab.send(SidebarState.load)

    assert unread(tab) == ["a"]


async def test_a_reply_that_ends_while_somebody_looks_leaves_no_mark(wb: Workbench, tab: Tab, three: list[str]) -> None:
    watching = watch(wb, LOCAL_OWNER, three[0])

    await reply_to(wb, three[0], "/echo Hello")

    await tab.send(SidebarState.load)
    assert unread(tab) == []
    del watching


async def test_a_stopped_reply_and_a_title_leave_no_mark(wb: Workbench, tab: Tab, three: list[str]) -> None:
    started = await start_reply(wb, LOCAL_OWNER, NewSend(three[0], "/long 1000 /rate 20"))
    await cancel_run(wb, LOCAL_OWNER, started.run_id)
    await collect(wb, started.run_id)
    async with wb.store.write() as session:
        await update_conversation(session, LOCAL_OWNER, three[1], {"kind": ConversationKind.TOOL})

    await reply_to(wb, three[1], "/echo Hello")

    await tab.send(SidebarState.load)
    async with wb.store.read() as session:
        listed = await list_conversations(session, LOCAL_OWNER, limit=10)
    assert [one.conversation.id for one in listed if one.placement.unread] == []


async def test_a_row_is_marked_as_unread_and_as_read_and_undo_takes_that_back(tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.toggle_unread, conversation_id=three[1])
    assert (unread(tab), said(tab)) == (["b"], "Marked as unread: “b”")
    await undo(tab)
    assert unread(tab) == []

    await tab.send(PlacementState.toggle_unread, conversation_id=three[1])
    await tab.send(PlacementState.toggle_unread, conversation_id=three[1])
    assert (unread(tab), said(tab)) == ([], "Marked as read: “b”")


async def test_several_are_marked_as_read_and_undo_brings_back_the_marks_that_were_there(
    tab: Tab, three: list[str]
) -> None:
    await tab.send(PlacementState.toggle_unread, conversation_id=three[1])
    await tab.send(PlacementState.begin_select, conversation_id="")
    await tab.send(PlacementState.tick_all)

    await tab.send(PlacementState.mark_selected)

    assert (unread(tab), said(tab)) == ([], "Marked 3 conversations as read")
    await undo(tab)
    assert unread(tab) == ["b"]


async def test_undoing_a_pin_leaves_what_was_read_since_as_read(wb: Workbench, tab: Tab, three: list[str]) -> None:
    await tab.send(PlacementState.toggle_unread, conversation_id=three[0])
    await tab.send(PlacementState.toggle_pin, conversation_id=three[0])
    await mark_as_read(wb, LOCAL_OWNER, three[0])

    await undo(tab)

    assert (names(tab), unread(tab)) == (["c", "b", "a"], [])


async def test_lists_by_what_conversations_are_have_no_others_and_the_menu_counts_them(
    wb: Workbench, tab: Tab, three: list[str]
) -> None:
    await tab.send(PlacementState.toggle_unread, conversation_id=three[1])
    await tab.send(PlacementState.toggle_pin, conversation_id=three[2])
    await create_temporary(wb, LOCAL_OWNER, title="for now")
    running = await start_reply(wb, LOCAL_OWNER, NewSend(three[0], "/long 1000 /rate 20"))

    await tab.send(SidebarState.load)

    assert [await show(tab, kind) for kind in ("unread", "pinned", "running", "temporary", "imported")] == [
        ["b"],
        ["c"],
        ["a"],
        ["for now"],
        [],
    ]
    assert headings(tab) == []
    assert tab.shows(SidebarState, "counts") == ListCounts(unread="1", running="1", pinned="1")
    await cancel_run(wb, LOCAL_OWNER, running.run_id)


async def test_a_failed_reply_is_listed_until_it_is_mended(wb: Workbench, tab: Tab, three: list[str]) -> None:
    await reply_to(wb, three[0], "/fail model")
    assert await show(tab, "error") == ["a"]
    assert headings(tab) == [("Today", "a")]

    await reply_to(wb, three[0], "/echo Mended")

    assert await show(tab, "error") == []
