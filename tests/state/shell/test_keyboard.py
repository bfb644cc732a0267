"""The state handlers for keys: each action that the page sends, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.watch.watcher import Watcher
from app.state.allowed_events import CALLABLE
from app.state.filters.sheet import SheetState
from app.state.messages.answered import AnsweredState
from app.state.messages.toasts import ToastState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.summary import SummaryState
from app.state.shell.keyboard import KeyboardState
from app.state.topics.picker import TopicPickerState
from app.store.conversation.pairs import load_pairs
from app.ui.shell.openers import OPENERS
from app.views.shortcuts.shortcuts import ACTIONS
from tests.runs.steps import a_conversation, reply_to
from tests.state.conftest import Tab
from tests.state.watched import watching, watching_two


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    async with watching_two(ctx, tab) as watcher:
        yield watcher


async def perform(tab: Tab, action: object, pair_id: object = "") -> None:
    await tab.send(KeyboardState.perform, action=action, pair_id=pair_id)


async def test_marks_are_given_to_the_pair_in_the_order_of_the_keys(watcher: Watcher, tab: Tab) -> None:
    pair = watcher.screen.pairs[0].id
    for action in ("one_star", "no_stars", "three_stars", "two_stars", "flag", "mark"):
        await perform(tab, action, pair)

    async with watcher.ctx.store.read() as session:
        stored = (await load_pairs(session, LOCAL_OWNER, watcher.conversation_id))[0]
    assert (stored.stars, stored.flagged, stored.mark) == (2, True, "in")


async def test_dialogs_open_for_the_pair(watcher: Watcher, tab: Tab) -> None:
    pair = watcher.screen.pairs[1].id

    await perform(tab, "topic", pair)
    assert tab.shows(TopicPickerState, "picking").pair_id == pair
    await perform(tab, "delete", pair)
    assert tab.shows(PairDeletionState, "deleting").id == pair
    await perform(tab, "edit", pair)
    assert tab.shows(EditState, "pair") == pair
    await perform(tab, "swap", pair)
    assert "has only one version" in tab.shows(ToastState, "toast").message


async def test_e_begins_the_edit_of_a_failed_pair(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    failed = (await reply_to(ctx, conversation_id, "/fail auth")).pair
    (action,) = [one.id for one in ACTIONS if one.key == "e"]

    async with watching(ctx, tab, conversation_id):
        await perform(tab, action, failed.id)

    assert failed.failure is not None
    assert (tab.shows(EditState, "pair"), tab.shows(EditState, "text")) == (failed.id, "/fail auth")


async def test_page_learns_that_what_a_key_or_a_control_opens_has_been_done(watcher: Watcher, tab: Tab) -> None:
    pair = watcher.screen.pairs[1].id

    await tab.send(KeyboardState.perform, action="edit", pair_id=pair, opening=1)
    assert (tab.shows(EditState, "pair"), tab.shows(AnsweredState, "answered")) == (pair, 1)
    await tab.send(KeyboardState.perform, action="topic", pair_id="gone", opening=2)
    assert (tab.shows(TopicPickerState, "picking"), tab.shows(AnsweredState, "answered")) == (None, 2)
    await tab.send(AnsweredState.tell_answered, opening=3)
    assert tab.shows(AnsweredState, "answered") == 3
    for wrong in (0, -1, 2**31, None, True):
        await tab.send(AnsweredState.tell_answered, opening=wrong)
    assert tab.shows(AnsweredState, "answered") == 3


def test_events_that_open_a_field_are_handlers_that_the_page_may_call() -> None:
    callable_names = {f"{state.get_full_name()}.{name}" for state, names in CALLABLE.items() for name in names}
    assert set(OPENERS) <= callable_names


async def test_what_is_about_no_pair_needs_none(watcher: Watcher, tab: Tab) -> None:
    assert watcher.screen.pairs

    await perform(tab, "help")
    assert tab.shows(SheetState, "open") is True
    await perform(tab, "summarise")
    assert tab.shows(SummaryState, "choice").ways
    await perform(tab, "new_conversation")
    assert tab.way == ["/"]


async def test_empty_selection_is_announced(tab: Tab) -> None:
    await perform(tab, "first_sent")

    assert tab.shows(ToastState, "toast").message == "Nothing of this conversation would be sent."


async def test_key_for_the_first_sent_pair_says_that_nothing_is_sent_if_no_pair_is_in_view(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")

    async with watching(ctx, tab, conversation_id, options=ViewOptions(filter="s3")):
        await perform(tab, "first_sent")

    assert tab.shows(ToastState, "toast").message == "Nothing of this conversation would be sent."


async def test_key_for_the_first_sent_pair_says_if_everything_in_view_is_included(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    await reply_to(ctx, conversation_id, "/echo two")

    for filter_, told in (("", "all 2 pairs in view are sent"), ("r1", "the pair in view is sent")):
        async with watching(ctx, tab, conversation_id, options=ViewOptions(filter=filter_)):
            await perform(tab, "first_sent")
        assert tab.shows(ToastState, "toast").message == f"Everything is included: {told}."


async def test_key_for_the_first_sent_pair_says_nothing_if_a_pair_in_view_is_not_sent(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    await reply_to(ctx, conversation_id, "/fail auth")

    async with watching(ctx, tab, conversation_id):
        await perform(tab, "first_sent")

    assert not tab.shows(ToastState, "toast")


async def test_copied_text_is_announced(watcher: Watcher, tab: Tab) -> None:
    pair = watcher.screen.pairs[1].id
    said: list[str] = []
    for request, copied in ((True, True), (False, True), (True, False)):
        await tab.send(KeyboardState.tell_copied, pair_id=pair, request=request, copied=copied)
        said.append(tab.shows(ToastState, "toast").message)

    assert said == [
        "Copied the request of pair 2",
        "Copied the part of pair 2",
        "The browser does not allow copying here.",
    ]


@pytest.mark.parametrize(
    ("action", "pair_id"),
    [
        ("explode", "p1"),
        ("delete", ""),
        ("delete", None),
        ("delete", "x" * 100),
        (7, "p1"),
        ("next_part", ""),
        ("", ""),
    ],
)
async def test_no_page_asks_for_this(watcher: Watcher, tab: Tab, action: object, pair_id: object) -> None:
    await perform(tab, action, pair_id)
    await tab.send(KeyboardState.tell_copied, pair_id=pair_id, request=7, copied=True)

    assert len(watcher.screen.pairs) == 2
    assert not tab.shows(PairDeletionState, "deleting")
    assert not tab.shows(ToastState, "toast")
