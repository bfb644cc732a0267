from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.runs.trash.trash import list_trash
from app.state.messages.toasts import ToastState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.visit import VisitState
from app.state.trash import trash as trash_state
from app.state.trash.trash import ALL, DeleteView, TrashItem, TrashState
from app.state.undo.undo import UndoState
from app.store.conversation.lists import list_conversations
from tests.runs.steps import reply_to
from tests.state.conftest import Tab

LONG = "A question that goes on and on and on until nobody who reads the list wants to see more of it than this line"


async def a_deleted_conversation(ctx: AppContext, title: str = "Light", text: str = "/echo blue") -> str:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title=title, model="offline:demo")
    await reply_to(ctx, conversation.id, text)
    await delete_conversation(ctx, LOCAL_OWNER, conversation.id)
    return conversation.id


async def entries(ctx: AppContext) -> int:
    return len((await list_trash(ctx, LOCAL_OWNER, limit=200)).entries)


def items(tab: Tab) -> tuple[TrashItem, ...]:
    return tab.shows(TrashState, "items")


async def test_an_entry_says_what_it_is_and_how_long_it_stays(ctx: AppContext, tab: Tab) -> None:
    await a_deleted_conversation(ctx)
    await a_deleted_conversation(ctx, "", f"/echo {LONG}")

    await tab.send(TrashState.load)

    untitled, titled = items(tab)
    assert (titled.name, titled.about) == ("Light", "Conversation with 1 pair")
    assert titled.left == "removed for good in 30 days"
    assert untitled.name.endswith("…")
    assert len(untitled.name) == 90
    assert tab.shows(TrashState, "loaded") is True
    assert tab.shows(TrashState, "more") in {None, False}


async def test_deleted_pairs_are_named_by_their_first_request_and_where_they_come_from(
    ctx: AppContext, tab: Tab
) -> None:
    for title, place in (("Light", "“Light”"), ("", "a conversation without a title")):
        conversation = await create_conversation(ctx, LOCAL_OWNER, title=title, model="offline:demo")
        ended = await reply_to(ctx, conversation.id, "/echo blue")
        await mark_pair(ctx, LOCAL_OWNER, ended.pair.id, Marks(deleted=True))

        await tab.send(TrashState.load)

        assert (items(tab)[0].name, items(tab)[0].about) == ("/echo blue", f"1 pair of {place}")


async def test_older_entries_are_shown_on_request(ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trash_state, "PAGE", 1)
    for title in ("first", "second", "third"):
        await a_deleted_conversation(ctx, title)
    await tab.send(TrashState.load)
    assert [item.name for item in items(tab)] == ["third"]
    assert tab.shows(TrashState, "more") is True

    await tab.send(TrashState.show_more)
    await tab.send(TrashState.show_more)

    assert [item.name for item in items(tab)] == ["third", "second", "first"]
    assert tab.shows(TrashState, "more") is False


async def test_restored_conversation_leaves_the_trash_and_is_listed_again(ctx: AppContext, tab: Tab) -> None:
    conversation = await a_deleted_conversation(ctx)
    await tab.send(SidebarState.load)
    await tab.send(TrashState.load)

    await tab.send(TrashState.restore, entry_id=conversation)

    assert items(tab) == ()
    assert tab.shows(TrashState, "message") == "“Light” is restored."
    assert [item.name for item in tab.shows(SidebarState, "conversations")] == ["Light"]


@pytest.mark.parametrize("handler", [TrashState.restore, TrashState.ask_delete])
@pytest.mark.parametrize("entry_id", ["gone", 7, None, ["x"]])
async def test_a_missing_entry_is_reported_and_opens_no_dialog(
    ctx: AppContext, tab: Tab, handler: object, entry_id: object
) -> None:
    await a_deleted_conversation(ctx)

    await tab.send(handler, entry_id=entry_id)

    assert "entry of the trash" in tab.shows(TrashState, "message")
    assert tab.shows(TrashState, "deleting") is None
    assert len(items(tab)) == 1


async def test_nothing_is_deleted_forever_before_the_dialog_is_confirmed(ctx: AppContext, tab: Tab) -> None:
    conversation = await a_deleted_conversation(ctx)
    await tab.send(TrashState.load)

    await tab.send(TrashState.ask_delete, entry_id=conversation)
    assert tab.shows(TrashState, "deleting") == DeleteView(conversation, "“Light”")
    await tab.send(TrashState.end_delete)
    assert tab.shows(TrashState, "deleting") is None
    await tab.send(TrashState.delete_forever)
    assert await entries(ctx) == 1

    await tab.send(TrashState.ask_delete, entry_id=conversation)
    await tab.send(TrashState.delete_forever)

    assert await entries(ctx) == 0
    assert items(tab) == ()
    assert tab.shows(TrashState, "deleting") is None
    assert tab.shows(TrashState, "message") == "“Light” is deleted permanently."


async def test_what_another_tab_restored_meanwhile_is_not_deleted(ctx: AppContext, tab: Tab) -> None:
    conversation = await a_deleted_conversation(ctx)
    await tab.send(TrashState.ask_delete, entry_id=conversation)
    await tab.send(TrashState.restore, entry_id=conversation)

    await tab.send(TrashState.delete_forever)

    assert "entry of the trash" in tab.shows(TrashState, "message")
    async with ctx.store.read() as session:
        assert len(await list_conversations(session, LOCAL_OWNER, limit=5)) == 1


async def test_the_whole_trash_is_emptied_once_confirmed(ctx: AppContext, tab: Tab) -> None:
    await a_deleted_conversation(ctx)
    await a_deleted_conversation(ctx)
    await tab.send(TrashState.load)

    await tab.send(TrashState.ask_empty)
    assert tab.shows(TrashState, "deleting") == DeleteView(ALL, "Everything in the trash")
    assert await entries(ctx) == 2
    await tab.send(TrashState.delete_forever)

    assert await entries(ctx) == 0
    assert tab.shows(TrashState, "message") == "The trash is empty."


@pytest.mark.parametrize(
    ("term", "left", "kept"),
    [
        ("7", "removed for good in 7 days", "for 7 days"),
        ("1", "removed for good within a day", "for 1 day"),
        ("365", "removed for good in 365 days", "for a year"),
        ("", "", "until the trash is emptied"),
    ],
)
async def test_the_menu_says_how_long_things_stay(ctx: AppContext, tab: Tab, term: str, left: str, kept: str) -> None:
    await a_deleted_conversation(ctx)
    before = await read_preferences(ctx, LOCAL_OWNER)

    await tab.send(TrashState.keep_for, term=term)

    assert await read_preferences(ctx, LOCAL_OWNER) == replace(before, trash_days=int(term) if term else None)
    assert items(tab)[0].left == left
    assert (tab.shows(TrashState, "term") or "") == term
    assert tab.shows(TrashState, "message") == f"Deleted items are now kept {kept}."


async def test_a_term_set_elsewhere_is_offered_as_well(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TrashState.keep_for, term="45")

    assert [term.value for term in tab.shows(TrashState, "terms")] == ["1", "7", "30", "45", "90", "365", ""]


@pytest.mark.parametrize("term", ["soon", "-1", "1e3", "99999", ["7"], {}])
async def test_a_term_that_is_none_changes_nothing(ctx: AppContext, tab: Tab, term: object) -> None:
    before = await read_preferences(ctx, LOCAL_OWNER)

    await tab.send(TrashState.keep_for, term=term)

    assert await read_preferences(ctx, LOCAL_OWNER) == before
    assert "Not a number of days" in tab.shows(TrashState, "message")


async def test_the_page_opens_without_what_was_said_before(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = await a_deleted_conversation(ctx)
    await tab.send(TrashState.load)
    await tab.send(TrashState.restore, entry_id="gone")
    await tab.send(TrashState.ask_delete, entry_id=conversation)
    later = trash_state.now() + timedelta(days=29, hours=12)
    monkeypatch.setattr(trash_state, "now", lambda: later)

    await tab.connect("second", anew=True)
    await tab.send(VisitState.begin)
    await tab.send(TrashState.load)

    assert tab.shows(TrashState, "message") == ""
    assert tab.shows(TrashState, "deleting") is None
    assert items(tab)[0].left == "removed for good within a day"


@pytest.mark.parametrize("ends", ["restored", "deleted for good", "emptied"])
async def test_entry_that_left_the_trash_withdraws_its_own_undo(ctx: AppContext, tab: Tab, ends: str) -> None:
    ids = [(await create_conversation(ctx, LOCAL_OWNER, title=title)).id for title in ("Other", "Light")]
    await tab.send(SidebarState.load)
    for conversation_id in ids:
        await tab.send(SidebarState.ask_delete, conversation_id=conversation_id)
        await tab.send(SidebarState.delete_conversation)
    assert tab.shows(ToastState, "toast").message == "Deleted the conversation “Light”"

    match ends:
        case "restored":
            await tab.send(TrashState.restore, entry_id=ids[1])
        case "emptied":
            await tab.send(TrashState.ask_empty)
        case _:
            await tab.send(TrashState.ask_delete, entry_id=ids[1])
    await tab.send(TrashState.delete_forever)

    assert tab.shows(ToastState, "toast") is None
    await tab.send(UndoState.undo_last)
    other = "There is nothing to undo." if ends == "emptied" else "Undone: deleted the conversation “Other”"
    assert tab.shows(ToastState, "toast").message == other


async def test_toast_about_another_entry_stays_when_one_is_restored(ctx: AppContext, tab: Tab) -> None:
    restored = await a_deleted_conversation(ctx)
    other = await create_conversation(ctx, LOCAL_OWNER, title="Other")
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.ask_delete, conversation_id=other.id)
    await tab.send(SidebarState.delete_conversation)

    await tab.send(TrashState.restore, entry_id=restored)

    assert tab.shows(ToastState, "toast").message == "Deleted the conversation “Other”"
