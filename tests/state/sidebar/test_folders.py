"""Folders in the left column: expanding, moving, renaming, deleting with undo, and news of other tabs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.conversation.conversation import ConversationKind
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.conversation.folder_commands import Contents, create_folder, delete_folder
from app.runs.conversation.opening import read_opened
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary
from app.state.messages.toasts import ToastState
from app.state.sidebar import sidebar
from app.state.sidebar.conversation_rows import FolderItem, WantedList, read_list
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.state.transcript.chat import ChatState, describes, show_chat
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import ListCriteria
from tests.runs.steps import count_own_statements, reply_to, until_quiet
from tests.state.conftest import Processor, Tab
from tests.state.watched import running

CHATS = ListCriteria(kind=ConversationKind.AGENT)


async def folder(ctx: AppContext, name: str) -> str:
    return (await create_folder(ctx, LOCAL_OWNER, name)).folder.id


async def chat(ctx: AppContext, title: str, folder_id: str = "") -> str:
    return (await create_conversation(ctx, LOCAL_OWNER, title=title, folder_id=folder_id)).id


def shown(tab: Tab) -> tuple[list[tuple[str, int, list[str]]], list[str]]:
    """Return the folders with counts and rows, and the names of the conversations below them."""
    folders: tuple[FolderItem, ...] = tab.shows(SidebarState, "folders")
    rest = tab.shows(SidebarState, "conversations")
    return [(one.name, one.count, [row.name for row in one.rows]) for one in folders], [row.name for row in rest]


def said(tab: Tab) -> str:
    return tab.shows(ToastState, "toast").message


async def undo(tab: Tab) -> None:
    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)


async def test_folders_are_listed_with_counts_and_show_their_conversations_when_expanded(
    ctx: AppContext, tab: Tab
) -> None:
    work, home = await folder(ctx, "Work"), await folder(ctx, "Home")
    for title, where in (("Light", work), ("Sound", work), ("Alone", "")):
        await chat(ctx, title, where)

    await tab.send(SidebarState.load)
    assert shown(tab) == ([("Home", 0, []), ("Work", 2, [])], ["Alone"])
    await tab.send(SidebarState.toggle_folder, folder_id=work)
    await tab.send(SidebarState.toggle_folder, folder_id=home)
    assert shown(tab) == ([("Home", 0, []), ("Work", 2, ["Sound", "Light"])], ["Alone"])
    assert [one.opened for one in tab.shows(SidebarState, "folders")] == [True, True]
    assert set(tab.shows(SidebarState, "opened").split()) == {work, home}
    await tab.send(SidebarState.toggle_folder, folder_id=work)

    assert shown(tab) == ([("Home", 0, []), ("Work", 2, [])], ["Alone"])


async def test_search_and_filter_list_the_conversations_of_all_folders_without_folders(
    ctx: AppContext, tab: Tab
) -> None:
    work = await folder(ctx, "Work")
    await chat(ctx, "Light", work)
    await chat(ctx, "Alone")

    await tab.send(SidebarState.load)
    await tab.send(SidebarState.search, words="light")
    assert shown(tab) == ([], ["Light"])
    await tab.send(SidebarState.search, words="")
    await tab.send(SidebarState.show_kind, kind="all")
    assert shown(tab) == ([], ["Alone", "Light"])
    await tab.send(SidebarState.show_chats)

    assert shown(tab) == ([("Work", 1, [])], ["Alone"])


async def test_long_folder_and_the_list_each_show_a_page_and_then_more(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidebar, "PAGE", 1)
    work = await folder(ctx, "Work")
    for title, where in (("Light", work), ("Sound", work), ("Alone", "")):
        await chat(ctx, title, where)
    await tab.send(SidebarState.search, words="")  # the first page has the patched size

    await tab.send(SidebarState.toggle_folder, folder_id=work)
    assert shown(tab) == ([("Work", 2, ["Sound"])], ["Alone"])
    assert (tab.shows(SidebarState, "folders")[0].more, tab.shows(SidebarState, "more")) == (True, False)
    await tab.send(SidebarState.show_more)

    assert shown(tab) == ([("Work", 2, ["Sound", "Light"])], ["Alone"])
    assert not tab.shows(SidebarState, "folders")[0].more


async def test_list_with_expanded_folders_is_read_with_two_statements(ctx: AppContext) -> None:
    """One has the folders and rows, the other the beginnings of replies, for requests that only repeat the name."""
    opened = sorted([await folder(ctx, "Work"), await folder(ctx, "Home")])
    for where in (*opened, ""):
        await reply_to(ctx, await chat(ctx, "", where), "/echo Light")
    await until_quiet(ctx)
    statements = count_own_statements(ctx)

    found = await read_list(ctx, WantedList(CHATS, "", 50, tuple(opened)))

    assert [[row.snippet for row in one.rows] for one in found.folders] == [["Light"], ["Light"]]
    assert [row.snippet for row in found.rows] == ["Light"]
    assert len([one for one in statements if one != "BEGIN"]) == 2, statements


async def test_keys_step_through_the_conversations_of_expanded_folders_too(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    inside, alone = await chat(ctx, "Light", work), await chat(ctx, "Alone")
    await tab.send(SidebarState.toggle_folder, folder_id=work)

    tab.path = f"/c/{alone}"
    await tab.send(SidebarState.step, by=-1)

    assert tab.way == [f"/c/{inside}"]


@pytest.mark.parametrize("stored", ["x" * 5_000, " ".join(f"f{number}" for number in range(5_000)), "' OR 1"])
async def test_any_text_can_be_stored_as_the_expanded_folders(ctx: AppContext, tab: Tab, stored: str) -> None:
    await folder(ctx, "Work")
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.toggle_folder, folder_id=stored)
    await tab.send(SidebarState.toggle_folder, folder_id=7)

    assert shown(tab) == ([("Work", 0, [])], [])
    assert len(tab.shows(SidebarState, "opened")) < 100


async def test_conversation_is_moved_to_a_folder_and_back_by_undo(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    light = await chat(ctx, "Light")
    await tab.send(SidebarState.load)

    await tab.send(FolderState.ask_move, conversation_id=light)
    moving = tab.shows(FolderState, "moving")
    assert moving.name == "Light"
    assert [(one.name, one.chosen) for one in moving.choices] == [("No folder", True), ("Work", False)]
    await tab.send(FolderState.move, folder_id="nowhere")
    assert tab.shows(FolderState, "moving") is not None
    await tab.send(FolderState.move, folder_id=work)

    assert tab.shows(FolderState, "moving") is None
    assert shown(tab) == ([("Work", 1, [])], [])
    assert said(tab) == "Moved “Light” to “Work”"
    await undo(tab)
    assert shown(tab) == ([("Work", 0, [])], ["Light"])


async def test_conversation_is_moved_to_a_new_folder_and_out_of_it(ctx: AppContext, tab: Tab) -> None:
    light = await chat(ctx, "Light")
    await tab.send(FolderState.ask_move, conversation_id=light)

    await tab.send(FolderState.create_and_move, form={"name": " "})
    assert "Give the folder a name" in tab.shows(FolderState, "fault")
    await tab.send(FolderState.create_and_move, form={"name": "Work"})
    assert shown(tab) == ([("Work", 1, [])], [])
    assert tab.shows(FolderState, "fault") == ""
    await tab.send(FolderState.ask_move, conversation_id=light)
    assert [one.name for one in tab.shows(FolderState, "moving").choices if one.chosen] == ["Work"]
    await tab.send(FolderState.move, folder_id="")

    assert shown(tab) == ([("Work", 0, [])], ["Light"])
    assert said(tab) == "Moved “Light” out of “Work”"


async def test_temporary_conversation_has_no_dialog_of_folders(ctx: AppContext, tab: Tab) -> None:
    temporary = await create_temporary(ctx, LOCAL_OWNER, title="Secret")

    with pytest.raises(NotFoundError):
        await tab.send(FolderState.ask_move, conversation_id=temporary.id)


async def test_folder_is_renamed_in_its_row_and_a_taken_name_is_refused_in_words(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    await folder(ctx, "Home")

    await tab.send(FolderState.show_menu, folder_id=work)
    assert tab.shows(FolderState, "menu").name == "Work"
    await tab.send(FolderState.begin_rename, folder_id=work)
    assert (tab.shows(FolderState, "menu"), tab.shows(FolderState, "renaming")) == (None, work)
    await tab.send(FolderState.rename_folder, form={"name": " Lab "})
    assert [name for name, *_ in shown(tab)[0]] == ["Home", "Lab"]
    await tab.send(FolderState.begin_rename, folder_id=work)
    await tab.send(FolderState.rename_folder, form={"name": "home"})

    assert said(tab) == "A folder named 'Home' already exists. Choose another name."
    assert [name for name, *_ in shown(tab)[0]] == ["Home", "Lab"]


async def test_deleted_folder_keeps_its_conversations_and_undo_puts_them_back(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    await chat(ctx, "Light", work)

    await tab.send(FolderState.delete, contents="keep")  # no dialog is open
    await tab.send(FolderState.ask_delete, folder_id=work)
    deleting = tab.shows(FolderState, "deleting")
    assert (deleting.name, deleting.content) == ("Work", "1 conversation")
    await tab.send(FolderState.delete, contents="keep")

    assert shown(tab) == ([], ["Light"])
    assert said(tab) == "Deleted the folder “Work”"
    await undo(tab)
    assert shown(tab) == ([("Work", 1, [])], [])


async def test_folder_deleted_with_its_conversations_is_left_and_undo_restores_both(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    light, _ = await chat(ctx, "Light", work), await chat(ctx, "Alone")
    tab.path = f"/c/{light}"

    await tab.send(FolderState.ask_delete, folder_id=work)
    await tab.send(FolderState.delete, contents="all")
    assert tab.shows(FolderState, "deleting") is None
    await tab.send(FolderState.ask_delete, folder_id=work)
    await tab.send(FolderState.delete, contents="trash")

    assert shown(tab) == ([], ["Alone"])
    assert said(tab) == "Deleted the folder “Work” with 1 conversation"
    assert tab.way == ["/"]
    await undo(tab)
    assert shown(tab) == ([("Work", 1, [])], ["Alone"])


async def test_page_stays_when_a_folder_with_other_conversations_is_deleted(ctx: AppContext, tab: Tab) -> None:
    work = await folder(ctx, "Work")
    await chat(ctx, "Light", work)
    for path in (f"/c/{await chat(ctx, 'Alone')}", "/c/nowhere", "/"):
        tab.path = path
        await tab.send(FolderState.ask_delete, folder_id=work)
        await tab.send(FolderState.delete, contents="trash")
        assert tab.way == []
        await undo(tab)


async def test_change_of_a_folder_in_one_tab_is_shown_in_another(ctx: AppContext, processor: Processor) -> None:
    work, light = await folder(ctx, "Work"), await chat(ctx, "Light")
    here, there = Tab(processor), Tab(processor)
    await there.send(SidebarState.load)
    async with running(there, SidebarState.follow):
        await here.send(FolderState.ask_move, conversation_id=light)
        await here.send(FolderState.move, folder_id=work)
        await there.until(lambda: shown(there) == ([("Work", 1, [])], []))
        await here.send(FolderState.begin_rename, folder_id=work)
        await here.send(FolderState.rename_folder, form={"name": "Lab"})
        await there.until(lambda: shown(there) == ([("Lab", 1, [])], []))
        await create_folder(ctx, LOCAL_OWNER, "Home")
        await there.until(lambda: shown(there) == ([("Home", 0, []), ("Lab", 1, [])], []))
        await here.send(FolderState.ask_delete, folder_id=work)
        await here.send(FolderState.delete, contents="keep")
        await there.until(lambda: shown(there) == ([("Home", 0, [])], ["Light"]))


async def test_page_of_a_conversation_is_not_read_again_because_its_folder_was_deleted(ctx: AppContext) -> None:
    """The list and the page of a conversation read its folder, other statements the id of a deleted folder too."""
    work = await folder(ctx, "Work")
    light = await chat(ctx, "Light", work)
    await delete_folder(ctx, LOCAL_OWNER, work, Contents.KEEP)
    chat_state = ChatState(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]
    show_chat(chat_state, await read_opened(ctx, LOCAL_OWNER, light, searches=False))

    async with ctx.store.read() as session:
        conversation = await load_conversation(session, LOCAL_OWNER, light)

    assert conversation.folder_id == work
    assert describes(chat_state, conversation)
    assert not describes(chat_state, replace(conversation, title="Other"))
    await change_conversation(ctx, LOCAL_OWNER, light, SettingChanges(folder_id=""))


async def test_new_folder_is_listed_at_once_and_undo_removes_it(ctx: AppContext, tab: Tab) -> None:
    await folder(ctx, "Home")
    await tab.send(FolderState.create, form={"name": "Too early"})  # no dialog is open
    await tab.send(FolderState.ask_create)
    assert tab.shows(FolderState, "creating")
    for name, reason in (
        (" ", "Give the folder a name"),
        ("home", "already exists"),
        ("x" * 81, "The maximum for a folder name is 80"),
        (7, "Give the folder a name"),
    ):
        await tab.send(FolderState.create, form={"name": name})
        assert reason in tab.shows(FolderState, "fault")
        assert tab.shows(FolderState, "creating")

    await tab.send(FolderState.create, form={"name": " Work "})

    assert (tab.shows(FolderState, "creating"), tab.shows(FolderState, "fault")) == (False, "")
    assert shown(tab) == ([("Home", 0, []), ("Work", 0, [])], [])
    assert [one.opened for one in tab.shows(SidebarState, "folders")] == [False, True]
    assert said(tab) == "Created the folder “Work”"
    await undo(tab)
    assert shown(tab) == ([("Home", 0, [])], [])


async def test_undo_that_fails_says_why_and_not_that_it_is_done(ctx: AppContext, tab: Tab) -> None:
    work, light = await folder(ctx, "Work"), await chat(ctx, "Light")

    await tab.send(FolderState.ask_delete, folder_id=work)
    await tab.send(FolderState.delete, contents="keep")
    home = await folder(ctx, "Work")  # another tab
    await undo(tab)
    assert said(tab) == "A folder named 'Work' already exists. Choose another name."
    assert tab.shows(ToastState, "toast").fault

    await change_conversation(ctx, LOCAL_OWNER, light, SettingChanges(folder_id=home))
    await tab.send(FolderState.ask_move, conversation_id=light)
    await tab.send(FolderState.move, folder_id="")
    await delete_folder(ctx, LOCAL_OWNER, home, Contents.KEEP)  # another tab
    await undo(tab)
    assert "folder" in said(tab)
    assert tab.shows(ToastState, "toast").fault
    assert shown(tab) == ([], ["Light"])


async def test_undo_of_a_new_folder_is_refused_after_a_conversation_was_moved_to_it(ctx: AppContext, tab: Tab) -> None:
    await tab.send(FolderState.ask_create)
    await tab.send(FolderState.create, form={"name": "Work"})
    (made,) = tab.shows(SidebarState, "folders")
    await chat(ctx, "Light", made.id)

    await undo(tab)

    assert said(tab) == "“Work” has 1 conversation now, so it was not removed. Delete it from its menu."
    assert tab.shows(ToastState, "toast").fault
    await tab.send(SidebarState.load)
    assert shown(tab) == ([("Work", 1, ["Light"])], [])


async def test_dialog_for_a_new_folder_closes_without_a_folder(ctx: AppContext, tab: Tab) -> None:
    await tab.send(FolderState.ask_create)
    await tab.send(FolderState.create, form={"name": ""})
    await tab.send(FolderState.end_create)

    assert (tab.shows(FolderState, "creating"), tab.shows(FolderState, "fault")) == (False, "")
    assert shown(tab) == ([], [])


async def test_move_to_a_folder_that_another_tab_deleted_says_so_and_offers_the_folders_of_now(
    ctx: AppContext, tab: Tab
) -> None:
    work, light = await folder(ctx, "Work"), await chat(ctx, "Light")
    await tab.send(FolderState.ask_move, conversation_id=light)
    await delete_folder(ctx, LOCAL_OWNER, work, Contents.KEEP)
    await folder(ctx, "Home")

    await tab.send(FolderState.move, folder_id=work)

    assert tab.shows(FolderState, "fault") == "There is no such folder. It may have been deleted."
    moving = tab.shows(FolderState, "moving")
    assert [(one.name, one.chosen) for one in moving.choices] == [("No folder", True), ("Home", False)]


async def test_undo_of_a_move_leads_back_to_where_the_conversation_was_just_before(ctx: AppContext, tab: Tab) -> None:
    work, home, light = await folder(ctx, "Work"), await folder(ctx, "Home"), await chat(ctx, "Light")
    await tab.send(FolderState.ask_move, conversation_id=light)
    await change_conversation(ctx, LOCAL_OWNER, light, SettingChanges(folder_id=work))  # another tab

    await tab.send(FolderState.move, folder_id=home)
    await undo(tab)

    assert shown(tab) == ([("Home", 0, []), ("Work", 1, [])], [])


async def test_undo_of_a_deletion_leaves_a_conversation_where_another_tab_moved_it(ctx: AppContext, tab: Tab) -> None:
    work, home = await folder(ctx, "Work"), await folder(ctx, "Home")
    light, sound, _ = await chat(ctx, "Light", work), await chat(ctx, "Sound", work), await chat(ctx, "Stays", work)
    await tab.send(FolderState.ask_delete, folder_id=work)
    await tab.send(FolderState.delete, contents="keep")
    await change_conversation(ctx, LOCAL_OWNER, light, SettingChanges(folder_id=home))
    await change_conversation(ctx, LOCAL_OWNER, sound, SettingChanges(folder_id=""))

    await undo(tab)

    assert shown(tab) == ([("Home", 1, []), ("Work", 1, [])], ["Sound"])


async def test_folder_that_two_tabs_delete_is_deleted_once_and_one_tab_says_so(
    ctx: AppContext, processor: Processor
) -> None:
    work = await folder(ctx, "Work")
    here, there = Tab(processor), Tab(processor)
    for one in (here, there):
        await one.send(FolderState.ask_delete, folder_id=work)
    await here.send(FolderState.delete, contents="keep")

    await there.send(FolderState.delete, contents="keep")

    assert said(there) == "There is no such folder. It may have been deleted."
    assert tab_is_closed(there)
    assert shown(there) == ([], [])


async def test_folder_that_another_tab_deleted_is_not_renamed(ctx: AppContext, processor: Processor) -> None:
    work, there = await folder(ctx, "Work"), Tab(processor)
    await there.send(SidebarState.load)
    await there.send(FolderState.begin_rename, folder_id=work)
    await delete_folder(ctx, LOCAL_OWNER, work, Contents.KEEP)

    await there.send(FolderState.rename_folder, form={"name": "Lab"})
    assert said(there) == "There is no such folder. It may have been deleted."
    for handler in (FolderState.show_menu, FolderState.ask_delete):
        await there.send(handler, folder_id=work)
        assert tab_is_closed(there)
    assert shown(there) == ([], [])


def tab_is_closed(tab: Tab) -> bool:
    return not any(tab.shows(FolderState, name) for name in ("menu", "moving", "deleting", "renaming", "creating"))
