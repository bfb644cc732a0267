"""Edits of a pair in state: started, sent, cancelled and resumed. The written text is never lost."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from reflex.state import State

from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import plain_text
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.mark_commands import mark_pair
from app.runs.resend.resend import resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.runs.watch.watcher import Watcher
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.messages.toasts import ToastState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.resend import ResendState
from app.state.undo.undo import UndoState
from tests.runs.steps import collect, reply_to, send, wait_for_text
from tests.state.conftest import Tab
from tests.state.watched import stored, watching, watching_two
from tests.waiting import until


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    async with watching_two(ctx, tab) as watcher:
        yield watcher


async def texts(watcher: Watcher) -> list[str]:
    return [plain_text(pair.request.parts) for pair in await stored(watcher)]


def at(watcher: Watcher, position: int) -> str:
    return next(pair.id for pair in watcher.screen.pairs if pair.position == position)


def shown(tab: Tab, var: str) -> Any:
    return tab.shows(EditState, var)


async def write(tab: Tab, text: str) -> None:
    await tab.send(EditState.write, edit_id=shown(tab, "edit"), text=text)


async def ended(watcher: Watcher) -> None:
    await until(lambda: not watcher.screen.running and bool(watcher.screen.ended))


async def test_pair_is_edited_sent_in_place_and_undone(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    assert (shown(tab, "pair"), shown(tab, "text"), shown(tab, "asked")) == (at(watcher, 2), "/echo two", True)
    await write(tab, "/echo two")
    assert not shown(tab, "asked")

    await tab.send(ResendState.send_edit, form={"text": "/echo other"})
    await ended(watcher)

    assert shown(tab, "pair") == ""
    assert not shown(tab, "busy")
    assert await texts(watcher) == ["/echo one", "/echo other"]
    toast = tab.shows(ToastState, "toast")
    assert toast.message == "Pair 2: Edited and resent"
    await tab.send(ToastState.undo, toast_id=toast.id)
    assert await texts(watcher) == ["/echo one", "/echo two"]


async def test_edit_that_is_called_off_changes_nothing_and_can_be_taken_up_again(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    await write(tab, "/echo changed")
    await tab.send(EditState.cancel)
    assert shown(tab, "pair") == ""
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Edit cancelled.", True)

    await tab.send(ToastState.undo, toast_id=toast.id)

    assert (shown(tab, "pair"), shown(tab, "text")) == (at(watcher, 2), "/echo changed")
    assert await texts(watcher) == ["/echo one", "/echo two"]


async def test_the_browser_keeps_no_text_of_a_temporary_conversation(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    assert shown(tab, "kept_as") == shown(tab, "edit") != ""

    made = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    bench = await context_for(ctx, made.id)
    pair = (await reply_to(bench, made.id, "/echo secret")).pair
    async with watching(bench, tab, made.id):
        await tab.send(EditState.begin, pair_id=pair.id)
        await write(tab, "/echo secret words")

    assert shown(tab, "pair") == pair.id

    assert shown(tab, "kept_as") == ""
    assert shown(tab, "text") == "/echo secret words", "a reload begins with it"


async def test_edit_without_a_change_is_left_without_a_word(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    await tab.send(EditState.cancel)

    assert tab.shows(ToastState, "toast") is None


async def test_second_edit_offers_what_was_written_in_the_first(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    first = shown(tab, "edit")
    await write(tab, "/echo first")
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    await tab.send(EditState.write, edit_id=first, text="/echo late")

    await write(tab, "/echo second")
    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

    assert (shown(tab, "pair"), shown(tab, "text")) == (at(watcher, 1), "/echo first")
    await tab.send(UndoState.undo_last)
    assert (shown(tab, "pair"), shown(tab, "text")) == (at(watcher, 2), "/echo second")


async def test_question_about_later_pairs_can_be_cancelled_and_the_edit_stays(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await tab.send(ResendState.send_edit, form={"text": "/echo first"})
    assert tab.shows(ResendState, "later") is not None
    assert not shown(tab, "busy"), "nothing is sent before the choice"

    await tab.send(ResendState.end)

    assert not shown(tab, "busy")
    assert shown(tab, "pair") == at(watcher, 1)
    await tab.send(ResendState.send_edit, form={"text": "/echo first"})
    await tab.send(ResendState.choose_later, key="keep")
    await ended(watcher)
    assert await texts(watcher) == ["/echo first", "/echo two"]
    assert shown(tab, "pair") == ""


async def test_edit_that_does_not_fit_asks_and_nothing_is_lost(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=200))
    long = f"/echo {'word ' * 150}"
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    await write(tab, long)
    await tab.send(ResendState.send_edit, form={"text": long})
    asked = tab.shows(ResendState, "over_budget")
    assert asked.message.startswith("This message does not fit, even without the pair in view.")
    assert asked.message.endswith("your text is saved.")

    await tab.send(ResendState.end)
    assert tab.shows(ResendState, "over_budget") is None
    assert (shown(tab, "pair"), shown(tab, "busy")) == (at(watcher, 2), False)
    assert await texts(watcher) == ["/echo one", "/echo two"]
    await tab.send(ResendState.send_edit, form={"text": long})
    await tab.send(ResendState.choose_way, key="force")
    await ended(watcher)

    assert await texts(watcher) == ["/echo one", long]
    assert shown(tab, "pair") == ""


async def test_pair_changed_elsewhere_is_reported_and_then_replaced(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    resent = await resend_pair(ctx, LOCAL_OWNER, at(watcher, 2), text="/echo theirs")
    await collect(ctx, resent.started.run_id)

    await tab.send(ResendState.send_edit, form={"text": "/echo mine"})
    assert "changed elsewhere" in shown(tab, "fault")
    assert shown(tab, "asked")  # the text area takes the focus again
    await tab.send(ResendState.send_edit, form={"text": "/echo mine"})
    await until(lambda: watcher.screen.pairs[-1].versions == 3)
    await until(lambda: not watcher.screen.running)

    assert await texts(watcher) == ["/echo one", "/echo mine"]


async def test_fault_goes_when_something_is_written(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 2))
    await tab.send(ResendState.send_edit, form={"text": "x" * (MAX_TEXT + 1)})
    assert "longer than" in shown(tab, "fault")

    await write(tab, "   ")
    assert (shown(tab, "fault"), shown(tab, "blank")) == ("", True)
    await tab.send(ResendState.send_edit, form={"text": "   "})

    assert await texts(watcher) == ["/echo one", "/echo two"]


async def test_text_of_a_pair_that_is_deleted_elsewhere_goes_into_the_message_box(watcher: Watcher, tab: Tab) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await write(tab, "/echo better")
    await mark_pair(watcher.ctx, LOCAL_OWNER, at(watcher, 1), Marks(deleted=True))

    await tab.send(EditState.leave)

    order = tab.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.PUT, "/echo better")
    assert tab.shows(ToastState, "toast").message == (
        "Pair 1, which you were editing, was deleted. Your text is in the message box."
    )
    assert shown(tab, "pair") == ""


async def test_pair_that_is_deleted_elsewhere_before_a_change_leaves_nothing_in_the_message_box(
    watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await mark_pair(watcher.ctx, LOCAL_OWNER, at(watcher, 1), Marks(deleted=True))

    await tab.send(EditState.leave)

    assert tab.shows(ComposerState, "order") is None
    assert tab.shows(ToastState, "toast").message == "Pair 1, which you were editing, was deleted."
    assert shown(tab, "pair") == ""


async def test_own_deletion_of_the_pair_that_is_edited_keeps_its_undo_and_the_text(watcher: Watcher, tab: Tab) -> None:
    pair_id = at(watcher, 1)
    await tab.send(EditState.begin, pair_id=pair_id)
    await write(tab, "/echo better")
    await tab.send(PairDeletionState.delete, pair_id=pair_id)
    await until(lambda: pair_id in watcher.deleted)

    await tab.send(EditState.leave)

    assert tab.shows(ComposerState, "order").text == "/echo better"
    assert tab.shows(ToastState, "toast").undo


async def test_edit_of_a_deleted_pair_that_is_taken_up_again_goes_into_the_message_box(
    watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await write(tab, "/echo better")
    await tab.send(EditState.cancel)
    await mark_pair(watcher.ctx, LOCAL_OWNER, at(watcher, 1), Marks(deleted=True))

    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

    assert tab.shows(ComposerState, "order").text == "/echo better"
    assert shown(tab, "pair") == ""


async def test_text_of_a_pair_that_is_deleted_while_the_page_is_away_goes_into_the_message_box(
    watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await write(tab, "/echo better")
    await mark_pair(watcher.ctx, LOCAL_OWNER, at(watcher, 1), Marks(deleted=True))

    await tab.send(EditState.open)

    assert tab.shows(ComposerState, "order").text == "/echo better"
    assert shown(tab, "pair") == ""


async def test_text_of_a_pair_that_was_deleted_before_a_restart_is_put_from_what_the_browser_keeps(
    watcher: Watcher, tab: Tab
) -> None:
    await tab.send(EditState.begin, pair_id=at(watcher, 1))
    await write(tab, "/echo better")
    await mark_pair(watcher.ctx, LOCAL_OWNER, at(watcher, 1), Marks(deleted=True))
    edit = shown(tab, "edit")

    restarted = Tab(tab.processor, path=tab.path)
    kept = {f"{EditState.get_full_name()}.kept_rx_state_": shown(tab, "kept")}
    await restarted.send_event(f"{State.get_full_name()}.hydrate_and_load", {"vars": kept})
    await restarted.send(EditState.open)

    order = restarted.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.PUT_EDIT, edit)
    assert restarted.shows(ToastState, "toast").message == (
        "Pair 1, which you were editing, was deleted. Your text is in the message box."
    )
    assert restarted.shows(EditState, "pair") == ""


async def test_pair_that_a_filter_hides_while_it_is_edited_is_reported_as_hidden(watcher: Watcher, tab: Tab) -> None:
    pair_id = at(watcher, 1)
    await tab.send(EditState.begin, pair_id=pair_id)
    await tab.send(EditState.leave)
    assert tab.shows(ToastState, "toast") is None

    await watcher.try_options(ViewOptions(filter="r1"))
    await until(lambda: watcher.pair(pair_id) is None)
    await tab.send(EditState.leave)

    assert "is hidden" in tab.shows(ToastState, "toast").message
    assert shown(tab, "pair") == pair_id


async def test_pair_whose_reply_runs_is_not_edited(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    started = await send(ctx, watcher.conversation_id, "/long 100 /rate 20")
    try:
        await wait_for_text(ctx, started)
        await until(lambda: watcher.pair(started.pair_id) is not None)
        await tab.send(EditState.begin, pair_id=started.pair_id)
    finally:
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    await collect(ctx, started.run_id)

    assert not shown(tab, "pair")
    assert "The reply is still running" in tab.shows(ToastState, "toast").message


@pytest.mark.parametrize("wrong", ["nobody", "", 7, None, "x" * 100])
async def test_no_page_edits_so(watcher: Watcher, tab: Tab, wrong: object) -> None:
    await tab.send(EditState.begin, pair_id=wrong)
    await tab.send(EditState.write, edit_id=wrong, text=wrong)
    await tab.send(EditState.take_up, edit_id=wrong)
    await tab.send(ResendState.send_edit, form={"text": wrong})
    await tab.send(EditState.leave)
    await tab.send(EditState.cancel)

    assert not shown(tab, "pair")
    assert await texts(watcher) == ["/echo one", "/echo two"]
