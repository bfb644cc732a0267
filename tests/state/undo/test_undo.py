"""Undo of the last action: in this tab, before the tab was reloaded, and for deletions elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime import ids
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.watcher import Watcher
from app.state.messages.toasts import Toast, ToastState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.marks import MarksState
from app.state.shell.keyboard import KeyboardState
from app.state.undo import undo
from app.state.undo.undo import KEPT, OFFERED, UndoState
from app.store.conversation.pairs import load_pairs
from tests.runs.steps import reply_to
from tests.state.conftest import Tab
from tests.state.watched import watching


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """Show a conversation of two pairs in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/echo one")
    await reply_to(ctx, conversation.id, "/echo two")
    await tab.connect("first", anew=True)
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(UndoState.open)
        yield watcher


async def positions(watcher: Watcher) -> list[int]:
    """Return the positions of the stored pairs that are not deleted."""
    async with watcher.ctx.store.read() as session:
        return [pair.position for pair in await load_pairs(session, LOCAL_OWNER, watcher.conversation_id)]


async def delete_elsewhere(watcher: Watcher) -> None:
    """Delete the second pair, but not in this tab."""
    await mark_pair(watcher.ctx, LOCAL_OWNER, watcher.screen.pairs[1].id, Marks(deleted=True))


def later(monkeypatch: pytest.MonkeyPatch, age: timedelta) -> None:
    """Move the clock of the trash forward."""
    monkeypatch.setattr(undo, "now", lambda: ids.now() + age)


def shown(tab: Tab) -> Toast | None:
    return tab.shows(ToastState, "toast")


def message(tab: Tab) -> str:
    toast = shown(tab)
    return toast.message if toast else ""


async def test_what_was_deleted_elsewhere_comes_back_by_key(watcher: Watcher, tab: Tab) -> None:
    await delete_elsewhere(watcher)

    await tab.send(UndoState.undo_last)

    assert await positions(watcher) == [1, 2]
    assert message(tab) == "Undone: deleted the pair “/echo two”"


async def test_deletion_under_way_is_waited_for(watcher: Watcher, tab: Tab) -> None:
    await delete_elsewhere(watcher)
    pair_id = watcher.screen.pairs[0].id

    await asyncio.gather(tab.send(PairDeletionState.delete, pair_id=pair_id), tab.send(UndoState.undo_last))

    assert await positions(watcher) == [1]
    assert message(tab) == "Undone: pair 1 deleted"


async def test_key_in_the_message_box_undoes_an_action_of_this_tab_only(watcher: Watcher, tab: Tab) -> None:
    await delete_elsewhere(watcher)
    await tab.send(KeyboardState.perform, action="undo_own", pair_id="")
    assert await positions(watcher) == [1]
    assert shown(tab) is None
    await tab.send(PairDeletionState.delete, pair_id=watcher.screen.pairs[0].id)

    await tab.send(KeyboardState.perform, action="undo_own", pair_id="")

    assert await positions(watcher) == [1]
    assert message(tab) == "Undone: pair 1 deleted"


async def test_old_deletion_stays_with_a_message(watcher: Watcher, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    await delete_elsewhere(watcher)
    later(monkeypatch, KEPT)

    await tab.send(UndoState.undo_last)

    assert await positions(watcher) == [1]
    assert message(tab) == "There is nothing to undo."


async def test_conversation_comes_back_where_none_is_open(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Wanted")
    await delete_conversation(ctx, LOCAL_OWNER, conversation.id)

    await tab.send(UndoState.undo_last)

    assert message(tab) == "Undone: deleted the conversation “Wanted”"
    assert tab.way == [f"/c/{conversation.id}"]
    await tab.send(UndoState.undo_last)
    assert message(tab) == "There is nothing to undo."


async def test_deletion_of_a_moment_ago_is_offered_when_the_page_is_loaded_again(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.delete, pair_id=watcher.screen.pairs[1].id)

    await tab.connect("second", anew=True)
    await tab.send(UndoState.open)

    toast = shown(tab)
    assert toast
    assert (toast.message, toast.undo) == ("Deleted the pair “/echo two”", True)
    await tab.send(ToastState.undo, toast_id=toast.id)
    assert await positions(watcher) == [1, 2]
    assert message(tab) == "Undone: deleted the pair “/echo two”"


async def test_toast_and_its_undo_stay_when_the_connection_comes_back(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.delete, pair_id=watcher.screen.pairs[1].id)
    toast = shown(tab)
    assert toast

    await tab.connect("second")
    await tab.send(UndoState.open)

    assert shown(tab) == toast
    await tab.send(ToastState.undo, toast_id=toast.id)
    assert await positions(watcher) == [1, 2]


async def test_what_was_done_since_the_page_was_loaded_again_is_taken_back_first(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.delete, pair_id=watcher.screen.pairs[1].id)
    await tab.connect("second", anew=True)
    await tab.send(UndoState.open)
    await tab.send(MarksState.toggle_flag, pair_id=watcher.screen.pairs[0].id)

    await tab.send(UndoState.undo_last)

    assert message(tab) == "Undone: pair 1 flagged"
    assert await positions(watcher) == [1]


async def test_nothing_is_offered_while_one_goes_from_page_to_page(watcher: Watcher, tab: Tab) -> None:
    await delete_elsewhere(watcher)

    await tab.send(UndoState.open)

    assert shown(tab) is None


async def test_older_deletion_is_not_offered(watcher: Watcher, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    await delete_elsewhere(watcher)
    later(monkeypatch, OFFERED)

    await tab.connect("second", anew=True)
    await tab.send(UndoState.open)

    assert shown(tab) is None


async def test_what_was_done_meanwhile_is_not_hidden_by_the_offer(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.delete, pair_id=watcher.screen.pairs[1].id)
    assert message(tab) == "Pair 2: Deleted"

    await tab.send(UndoState.recall)

    assert message(tab) == "Pair 2: Deleted"


@pytest.mark.parametrize("entry_id", ["nobody", "", 7, None, "x" * 100])
async def test_no_page_brings_such_a_thing_back(watcher: Watcher, tab: Tab, entry_id: object) -> None:
    await delete_elsewhere(watcher)

    await tab.send(UndoState.bring_back, entry_id=entry_id)

    assert await positions(watcher) == [1]
