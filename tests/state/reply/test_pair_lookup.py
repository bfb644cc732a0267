"""Clicks and keys on a pair of a page that was reloaded a moment ago, before its watcher has read the pairs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.event_bus import Subscription
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.watch.watcher import Watcher
from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.messages.toasts import ToastState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.marks import MarksState
from app.state.reply.pair_lookup import NOT_LOADED, NOT_SHOWN
from app.state.reply.partial import PartialReplyState
from app.state.reply.request_text import RequestTextState
from app.state.reply.resend import ResendState
from app.state.reply.retry import RetryState
from app.state.shell.keyboard import KeyboardState
from app.state.tab import tab_watchers
from app.state.tab.tab_watchers import forget_watcher, prepare_watcher
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from tests.runs.clock import HANG_SECONDS
from tests.runs.steps import pairs_of, reply_to
from tests.state.conftest import Tab
from tests.state.watched import running


def said(tab: Tab) -> str:
    """Return the message of the current toast."""
    message: str = tab.shows(ToastState, "toast").message
    return message


ACTIONS: Final[dict[str, tuple[Any, dict[str, Any], Callable[[Tab], Any], Any]]] = {
    "stars": (MarksState.give_stars, {"stars": 2}, said, "Pair 1: 2 stars"),
    "flag": (MarksState.toggle_flag, {}, said, "Pair 1: Flagged"),
    "tag": (MarksState.cycle_mark, {}, said, "Pair 1: Tagged “include”"),
    "delete": (PairDeletionState.delete, {}, said, "Pair 1: Deleted"),
    "copied": (
        KeyboardState.tell_copied,
        {"request": True, "copied": True},
        said,
        "Copied the request of pair 1",
    ),
    "ask": (
        PairDeletionState.ask,
        {},
        lambda tab: tab.shows(PairDeletionState, "deleting").name,
        "Pair 1, “/echo one”",
    ),
    "edit": (EditState.begin, {}, lambda tab: tab.shows(EditState, "text"), "/echo one"),
    "regenerate": (
        AnswerAgainState.ask,
        {},
        lambda tab: tab.shows(AnswerAgainState, "asking").label,
        "Regenerate pair 1",
    ),
    "compare": (
        ComparisonChoiceState.ask_for_pair,
        {},
        lambda tab: tab.shows(ComparisonChoiceState, "choosing").label,
        "Regenerate pair 1 with several models",
    ),
}
"""Actions on a pair: the handler, its other arguments, what shows that it acted, and its value then."""
EXPLAINED: Final[tuple[tuple[Any, dict[str, Any]], ...]] = (
    (MarksState.give_stars, {"stars": 2}),
    (PairDeletionState.ask, {}),
    (EditState.begin, {}),
    (RequestTextState.turn, {}),
    (RetryState.give_up, {}),
    (PartialReplyState.include, {}),
    (ResendState.send_as_it_was, {}),
    (AnswerAgainState.ask, {}),
    (ComparisonChoiceState.ask_for_pair, {}),
)
"""Handlers that say so if the pair is not on the page."""


@dataclass
class FirstRead:
    """The first read of the watcher. It begins (`begins`), and waits until `goes_on` is set."""

    begins: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def first_read(monkeypatch: pytest.MonkeyPatch) -> FirstRead:
    held = FirstRead()
    begin = cast("Any", Watcher)._begin

    async def begin_late(watcher: Watcher, feed: Subscription) -> None:
        held.begins.set()
        await held.goes_on.wait()
        await begin(watcher, feed)

    monkeypatch.setattr(Watcher, "_begin", begin_late)
    return held


@pytest.fixture
async def pair(ctx: AppContext, tab: Tab) -> Pair:
    """The pair of a conversation whose address the tab has. The tab does not follow the conversation yet."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/echo one")
    await tab.send(ChatState.open)  # the first event of a tab loads its page, here the one without a conversation
    tab.path = f"/c/{conversation.id}"
    (made,) = await pairs_of(ctx, conversation.id)
    return made


@asynccontextmanager
async def acting(tab: Tab, handler: Any, **payload: Any) -> AsyncGenerator[asyncio.Task[None]]:
    """Run an action that has to wait. At the end of the `with` block, wait for it."""
    task = asyncio.create_task(tab.send(handler, **payload))
    done, _ = await asyncio.wait({task}, timeout=0.05)
    assert not done, "the action did not wait"
    yield task
    async with asyncio.timeout(HANG_SECONDS):
        await task


@pytest.mark.parametrize("name", ACTIONS)
async def test_action_waits_until_the_page_has_its_pairs(
    tab: Tab, pair: Pair, first_read: FirstRead, name: str
) -> None:
    handler, more, shown, expected = ACTIONS[name]

    async with running(tab, TranscriptState.open):
        await first_read.begins.wait()
        async with acting(tab, handler, pair_id=pair.id, **more):
            first_read.goes_on.set()

        assert shown(tab) == expected


async def test_key_for_a_mark_waits_until_the_page_follows_its_conversation(tab: Tab, pair: Pair) -> None:
    async with AsyncExitStack() as page:
        async with acting(tab, MarksState.toggle_flag, pair_id=pair.id):
            await page.enter_async_context(running(tab, TranscriptState.open))

        assert said(tab) == "Pair 1: Flagged"


@pytest.mark.parametrize("handler", [MarksState.toggle_flag, EditState.begin])
async def test_pair_that_was_deleted_meanwhile_is_reported(
    ctx: AppContext, tab: Tab, pair: Pair, first_read: FirstRead, handler: Any
) -> None:
    async with running(tab, TranscriptState.open):
        await first_read.begins.wait()
        async with acting(tab, handler, pair_id=pair.id):
            await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
            first_read.goes_on.set()

        assert (said(tab), tab.shows(ToastState, "toast").fault) == (NOT_SHOWN, True)


@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize(("handler", "more"), EXPLAINED)
async def test_pair_that_is_not_on_the_page_is_reported(tab: Tab, handler: Any, more: dict[str, Any]) -> None:
    async with running(tab, TranscriptState.open):
        await tab.until(lambda: bool(tab.shows(TranscriptState, "pairs")))
        await tab.send(handler, pair_id="nowhere", **more)

        assert (said(tab), tab.shows(ToastState, "toast").fault) == (NOT_SHOWN, True)


@pytest.mark.parametrize("handler", [MarksState.toggle_flag, EditState.begin])
async def test_pairs_that_do_not_arrive_are_reported(
    tab: Tab, pair: Pair, first_read: FirstRead, monkeypatch: pytest.MonkeyPatch, handler: Any
) -> None:
    monkeypatch.setattr(tab_watchers, "LOCKED_SECONDS" if handler is EditState.begin else "ARRIVAL_SECONDS", 0.01)

    async with running(tab, TranscriptState.open):
        await first_read.begins.wait()
        await tab.send(handler, pair_id=pair.id)

        assert (said(tab), tab.shows(ToastState, "toast").fault) == (NOT_LOADED, True)


async def test_mark_is_undone_on_another_page(ctx: AppContext, tab: Tab, pair: Pair) -> None:
    tab.path = "/trash"

    await tab.send(MarksState.take_back, pair_id=pair.id, field="stars", value=2)

    (stored,) = await pairs_of(ctx, pair.conversation_id)
    assert stored.stars == 2
    assert tab.shows(ToastState, "toast") is None


async def test_second_press_of_delete_keeps_the_offer_to_undo(tab: Tab, pair: Pair) -> None:
    async with running(tab, TranscriptState.open):
        await tab.until(lambda: bool(tab.shows(TranscriptState, "pairs")))
        await tab.send(PairDeletionState.delete, pair_id=pair.id)
        await tab.until(lambda: said(tab) == "Pair 1: Deleted")

        await tab.send(PairDeletionState.delete, pair_id=pair.id)

        assert said(tab) == "Pair 1: Deleted"


@pytest.mark.parametrize("handler", [MarksState.toggle_flag, EditState.begin])
async def test_no_handler_waits_for_a_watcher_that_never_runs(
    ctx: AppContext, tab: Tab, pair: Pair, handler: Any
) -> None:
    prepare_watcher(tab.token, Watcher(ctx, LOCAL_OWNER, pair.conversation_id))
    async with acting(tab, handler, pair_id=pair.id):
        forget_watcher(tab.token, pair.conversation_id)

    assert said(tab) == NOT_SHOWN


async def test_a_jump_to_a_pair_ends_with_a_watcher_that_never_runs(ctx: AppContext, tab: Tab, pair: Pair) -> None:
    watcher = Watcher(ctx, LOCAL_OWNER, pair.conversation_id)
    prepare_watcher(tab.token, watcher)
    async with acting(tab, TranscriptState.show_position, position=1):
        forget_watcher(tab.token, pair.conversation_id)

    assert watcher.screen.pairs == ()


async def test_a_jump_to_a_pair_ends_although_the_conversation_is_kept_before_its_watcher_runs(
    ctx: AppContext, tab: Tab
) -> None:
    """`follow` then makes another watcher: the conversation is on the disk now, and no longer in memory."""
    tab.path = f"/c/{(await create_temporary(ctx, LOCAL_OWNER, model='offline:demo')).id}"
    conversation_id = tab.path.removeprefix("/c/")
    bench = await context_for(ctx, conversation_id)
    await tab.send(ChatState.open)
    prepare_watcher(tab.token, Watcher(bench, LOCAL_OWNER, conversation_id))
    async with acting(tab, TranscriptState.show_position, position=1):
        await keep_conversation(bench, LOCAL_OWNER, conversation_id)
        following = asyncio.create_task(tab.send(TranscriptState.follow))
    following.cancel()
    await asyncio.wait({following})


async def test_pair_of_a_page_without_a_watcher_is_reported_at_once(tab: Tab, pair: Pair) -> None:
    await tab.send(EditState.begin, pair_id=pair.id)

    assert said(tab) == NOT_LOADED
