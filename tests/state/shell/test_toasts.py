"""Toasts, tested with the list of conversations, which is one of the states that have an Undo."""

from __future__ import annotations

from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.toasts import MAX_UNDOS, Toast, ToastState
from app.state.sidebar.sidebar import SidebarState
from app.state.undo.undo import UndoState
from tests.state.conftest import Tab
from tests.state.sidebar.test_sidebar import names_stored


async def delete(ctx: AppContext, tab: Tab, title: str) -> Toast:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title=title)
    await tab.send(SidebarState.load)
    await tab.send(SidebarState.ask_delete, conversation_id=conversation.id)
    await tab.send(SidebarState.delete_conversation)
    return shown(tab)


def shown(tab: Tab) -> Toast:
    toast = tab.shows(ToastState, "toast")
    assert isinstance(toast, Toast)
    return toast


async def test_a_toast_undoes_the_action_that_it_names(ctx: AppContext, tab: Tab) -> None:
    first = await delete(ctx, tab, "First")
    second = await delete(ctx, tab, "Second")
    assert (second.message, second.undo, second.fault) == ("Deleted the conversation “Second”", True, False)

    await tab.send(ToastState.undo, toast_id=first.id)

    assert await names_stored(ctx) == ["First"]
    assert shown(tab).message == "Undone: deleted the conversation “First”"
    await tab.send(ToastState.undo, toast_id=first.id)
    assert await names_stored(ctx) == ["First"]


async def test_the_last_thing_is_taken_back_first(ctx: AppContext, tab: Tab) -> None:
    await delete(ctx, tab, "First")
    await delete(ctx, tab, "Second")

    await tab.send(UndoState.undo_last)
    assert await names_stored(ctx) == ["Second"]
    await tab.send(UndoState.undo_last)
    assert sorted(await names_stored(ctx)) == ["First", "Second"]
    await tab.send(UndoState.undo_last)

    assert shown(tab).message == "There is nothing to undo."


async def test_a_limited_number_of_actions_can_be_undone(ctx: AppContext, tab: Tab) -> None:
    first = await delete(ctx, tab, "First")
    for number in range(MAX_UNDOS):
        await delete(ctx, tab, f"Number {number}")

    await tab.send(ToastState.undo, toast_id=first.id)

    assert await names_stored(ctx) == []


async def test_a_toast_is_dismissed_by_its_id_alone(ctx: AppContext, tab: Tab) -> None:
    first = await delete(ctx, tab, "First")
    second = await delete(ctx, tab, "Second")

    await tab.send(ToastState.dismiss, toast_id=first.id)
    assert shown(tab) == second
    await tab.send(ToastState.dismiss, toast_id=second.id)

    assert tab.shows(ToastState, "toast") is None


async def test_a_long_name_is_shortened(ctx: AppContext, tab: Tab) -> None:
    toast = await delete(ctx, tab, "n" * 60)

    assert toast.message == f"Deleted the conversation “{'n' * 49}…”"
