"""The list of conversations, and the texts of what is empty."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.state.comparison import ComparisonState
from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.inspector.branches import BranchItem, BranchState
from app.state.inspector.frame import InspectorState
from app.state.shell.menus import MenuState
from app.state.shell.news import NewsState
from app.state.sidebar.conversation_rows import ConversationItem, FolderItem
from app.state.sidebar.folders import FolderChoice, FolderState, MoveView, NamedFolder
from app.state.sidebar.sidebar import SidebarState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.ui.pages.conversation import conversation
from app.ui.pages.home import home
from app.views.reply.pair import show_pair
from app.views.reply.panels import ScreenComparisonView
from tests.builders import EPOCH, a_pair
from tests.ui.drawn import Element, draw, sent

EMPTY_LIST = "Your conversations appear here."
NO_MESSAGES = "No messages yet. Write below to start."
NO_BRANCHES = "No branches yet."
AT = EPOCH.isoformat()


def row(conversation_id: str, *, running: bool = False) -> ConversationItem:
    return ConversationItem(conversation_id, "Light", "What is light?", AT, running, path=f"/c/{conversation_id}")


def dots(page: Element) -> list[str]:
    """Return the addresses of the listed conversations that have the mark of a running reply."""
    rows = [one for one in page.list("NavLink") if str(one.props["to"]).startswith("/c/")]
    return [one.props["to"] for one in rows if one.list("span", "A reply is running")]


def test_list_says_what_appears_in_it_while_it_is_empty() -> None:
    assert EMPTY_LIST in draw(home, {SidebarState: {"loaded": True}}).text
    assert EMPTY_LIST not in draw(home, {}).text
    assert EMPTY_LIST not in draw(home, {SidebarState: {"loaded": True, "filtered": True}}).text
    assert EMPTY_LIST not in draw(home, {SidebarState: {"loaded": True, "conversations": (row("a"),)}}).text


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ((), False, "0 conversations found"),
        ((row("a"),), False, "1 conversation found"),
        ((row("a"), row("b")), False, "2 conversations found"),
        ((row("a"), row("b")), True, "More than 2 conversations found"),
    ],
)
def test_number_of_found_conversations_is_announced(
    rows: tuple[ConversationItem, ...], more: bool, message: str
) -> None:
    shown = draw(home, {SidebarState: {"searching": True, "conversations": rows, "more": more}})

    assert message in [one.text for one in shown.list("p")]


def test_running_replies_are_marked_in_the_list() -> None:
    rows = row("a"), row("b", running=True)

    assert dots(draw(home, {SidebarState: {"conversations": rows}})) == ["/c/b"]
    of_page = {"conversation": "a", "running": True}
    assert dots(draw(home, {SidebarState: {"conversations": rows}, NewsState: of_page})) == ["/c/a", "/c/b"]


def test_conversation_without_pairs_says_how_to_start() -> None:
    assert NO_MESSAGES in draw(conversation, {}).text
    assert NO_MESSAGES not in draw(conversation, {TranscriptState: {"pairs": (show_pair(a_pair()),)}}).text


def test_request_of_an_open_comparison_is_shown_with_a_button_to_its_replies() -> None:
    comparison = ScreenComparisonView("k1", "a", "", "What is light?", ())

    page = draw(conversation, {ComparisonState: {"comparison": comparison}})
    of_pair = draw(conversation, {ComparisonState: {"comparison": replace(comparison, pair_id="p1")}})

    window = page.find("TranscriptWindow")
    assert window.props["compared"] == "What is light?"
    assert "Keep one reply to continue." in window.text
    assert window.find("button", "Show the replies to choose from").sends("on_click") == [sent(ComparisonState.show)]
    assert "Sending…" not in window.text
    assert NO_MESSAGES not in window.text
    assert of_pair.find("TranscriptWindow").props["compared"] == ""


def test_filter_that_selects_no_pair_says_so_and_has_a_button_for_all_pairs() -> None:
    filtered = {"filter": "s5", "description": "pairs with 5 stars", "notices": ("No topic “x”.",)}

    page = draw(conversation, {FilterState: filtered})
    found = draw(conversation, {FilterState: filtered, TranscriptState: {"pairs": (show_pair(a_pair()),)}})

    assert "No pairs match the filter: pairs with 5 stars." in page.text
    assert page.find("button", "Show all pairs").sends("on_click") == [sent(FilterState.clear)]
    assert NO_MESSAGES not in page.text
    assert not found.list("button", "Show all pairs")


def test_filter_in_force_has_a_button_that_clears_it() -> None:
    page = draw(conversation, {FilterState: {"filter": "s5"}})

    assert page.find("button", "Clear the filter").sends("on_click") == [sent(FilterState.clear)]
    assert not draw(conversation, {}).list("button", "Clear the filter")


def branch(conversation_id: str, depth: int) -> BranchItem:
    return BranchItem(conversation_id, f"/c/{conversation_id}", depth, "Light", "", "1 pair", AT, "", running=False)


def test_conversation_without_forks_says_how_to_make_one() -> None:
    opened = {InspectorState: {"section": "branches"}, TranscriptState: {"pairs": (show_pair(a_pair()),)}}

    alone = draw(conversation, {**opened, BranchState: {"items": (branch("a", 0),)}})
    forked = draw(conversation, {**opened, BranchState: {"items": (branch("a", 0), branch("b", 1))}})

    assert NO_BRANCHES in alone.text
    assert alone.find("button", "Fork all pairs").sends("on_click") == [sent(BranchState.fork, pair_id="", which="all")]
    assert NO_BRANCHES not in forked.text


def folders() -> tuple[FolderItem, ...]:
    return FolderItem("f1", "Work", 2, opened=True, rows=(row("a"),), more=True), FolderItem(
        "f2", "Home", 0, opened=True
    )


def test_folder_is_expanded_by_a_button_with_its_count_and_has_a_menu() -> None:
    closed = FolderItem("f3", "Zoo", 1)
    page = draw(home, {SidebarState: {"loaded": True, "folders": (*folders(), closed)}})

    work, zoo = page.find("button", "Work 2 conversations"), page.find("button", "Zoo 1 conversation")
    assert (work.props["aria-expanded"], zoo.props["aria-expanded"]) == (True, False)
    assert work.sends("on_click") == [sent(SidebarState.toggle_folder, folder_id="f1")]
    assert page.find("button", "Menu of folder Work").sends("on_click") == [sent(FolderState.show_menu, folder_id="f1")]
    older = page.find("button", "Show older conversations of folder Work")
    assert older.sends("on_click") == [sent(SidebarState.show_more)]
    content = page.find("ul", "Folders")
    assert [one.props["to"] for one in content.list("NavLink")] == ["/c/a"]
    assert content.text.count("This folder is empty. Move a conversation here from its menu.") == 1
    assert EMPTY_LIST not in page.text


def test_new_folder_is_made_in_a_dialog_that_a_button_of_the_list_opens() -> None:
    page = draw(home, {FolderState: {"creating": True, "fault": "Give the folder a name."}})

    button = page.find("button", "New folder")
    assert button.sends("on_click") == [sent(FolderState.ask_create)]
    dialog = page.find("Dialog", "New folder")
    (form,) = dialog.list("form")
    assert form.sends("on_submit") == [sent(FolderState.create, form="<form>")]
    field = dialog.find("input", "Name")
    assert field.props["data-first"] == ""
    assert field.props["aria-invalid"] is True
    assert [one.text for one in dialog.all() if one.props.get("role") == "alert"] == ["Give the folder a name."]


def test_folder_that_is_renamed_is_a_field() -> None:
    page = draw(home, {SidebarState: {"folders": folders()}, FolderState: {"renaming": "f1"}})

    assert page.find("input", "Name of the folder").props["defaultValue"] == "Work"
    assert not page.list("button", "Menu of folder Work")


def test_menu_of_a_folder_renames_and_deletes_it() -> None:
    page = draw(home, {FolderState: {"menu": NamedFolder("f1", "Work", "")}})

    menu = page.find("Dialog", "Menu of folder Work")
    assert menu.find("button", "Rename").sends("on_click") == [sent(FolderState.begin_rename, folder_id="f1")]
    assert menu.find("button", "Delete").sends("on_click") == [sent(FolderState.ask_delete, folder_id="f1")]


def test_only_chats_that_are_not_temporary_can_be_moved_to_a_folder() -> None:
    rows = row("a"), replace(row("b"), temporary=True), replace(row("c"), derived="Background task")
    page = draw(home, {SidebarState: {"conversations": rows}})

    (button,) = page.list("button", "Move Light to a folder")
    assert button.sends("on_click") == [sent(FolderState.ask_move, conversation_id="a")]


def test_menu_of_a_conversation_moves_it_to_a_folder() -> None:
    opened = {MenuState: {"shown": "conversation"}}
    of_page = {"opened": "a"}
    page = draw(conversation, {**opened, ChatState: of_page})

    item = page.find("button", "Move to folder")
    assert item.sends("on_click") == [sent(FolderState.ask_move, conversation_id="a")]
    for var in ("temporary", "derived"):
        assert not draw(conversation, {**opened, ChatState: {**of_page, var: True}}).list("button", "Move to folder")


def test_dialog_moves_a_conversation_to_a_folder_or_to_a_new_one() -> None:
    choices = FolderChoice("", "No folder", chosen=False), FolderChoice("f1", "Work", chosen=True)
    moving = {"moving": MoveView("a", "Light", choices), "fault": "Give the folder a name."}

    dialog = draw(home, {FolderState: moving}).find("Dialog", "Move to folder")

    assert "“Light”" in dialog.text
    work = dialog.find("button", "Work")
    assert (work.props["aria-pressed"], work.props["data-first"]) == (True, "")
    assert work.sends("on_click") == [sent(FolderState.move, folder_id="f1")]
    assert dialog.find("button", "No folder").sends("on_click") == [sent(FolderState.move, folder_id="")]
    form = dialog.find("form")
    assert form.find("input", "Name of the new folder")
    assert form.find("button", "Create and move").props["type"] == "submit"
    assert [one.text for one in dialog.all() if one.props.get("role") == "alert"] == ["Give the folder a name."]


def test_dialog_asks_what_happens_to_the_conversations_of_a_folder() -> None:
    full = draw(home, {FolderState: {"deleting": NamedFolder("f1", "Work", "2 conversations")}})
    empty = draw(home, {FolderState: {"deleting": NamedFolder("f1", "Work", "")}})

    dialog = full.find("Dialog", "Delete this folder?")
    assert "“Work” has 2 conversations." in dialog.text
    assert dialog.find("button", "Keep them").sends("on_click") == [sent(FolderState.delete, contents="keep")]
    assert dialog.find("button", "Move to trash").sends("on_click") == [sent(FolderState.delete, contents="trash")]
    alone = empty.find("Dialog", "Delete this folder?")
    assert alone.find("button", "Delete").sends("on_click") == [sent(FolderState.delete, contents="keep")]
    assert not alone.list("button", "Move to trash")


@pytest.mark.parametrize(
    ("temporary", "title", "button"),
    [(True, "Discard this conversation?", "Discard"), (False, "Delete this conversation?", "Delete")],
)
def test_temporary_conversation_is_discarded_and_a_stored_one_deleted(temporary: bool, title: str, button: str) -> None:
    page = draw(home, {SidebarState: {"deleting": "a", "deleting_name": "Talk", "deleting_temporary": temporary}})

    dialog = page.find("Dialog", title)
    assert [one.name for one in dialog.list("button")] == ["Cancel", button]
    assert ("Its text is lost" in dialog.text) is temporary


def test_title_and_counters_are_shown_on_the_page_of_their_conversation_only() -> None:
    split = {"x": "1", "y": "2", "rows": ()}
    chat = {"opened": "c1", "title": "Light"}

    page = draw(conversation, {ChatState: chat, ComposerState: {"split": split}})

    parts = [one for one in page.list("OnPage") if one.props["path"] == "/c/c1"]
    parts = [one for one in parts if one.list("TitleField") or one.list("Tip")]
    assert [(bool(one.list("TitleField")), bool(one.list("Tip"))) for one in parts] == [(True, False), (False, True)]
