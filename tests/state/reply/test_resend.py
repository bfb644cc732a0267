"""Sending a pair again in state: the question before it, the request, and its undo."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.resend.in_place import ResendResult
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import read_preferences
from app.runs.watch.watcher import Watcher
from app.state.messages.toasts import ToastState
from app.state.reply import resend
from app.state.reply.edit import EditState
from app.state.reply.resend import ResendState
from app.state.reply.resending import ResendRequest, send_again
from app.state.reply.summary import SummaryState
from app.state.tab.visit import VisitState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from tests.runs.steps import reply_to
from tests.state.conftest import Tab
from tests.state.watched import stored, watching, watching_two
from tests.waiting import until


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    async with watching_two(ctx, tab) as watcher:
        yield watcher


async def settled(watcher: Watcher, *versions: int) -> None:
    """Wait until pairs with these numbers of versions are stored and shown, and no reply is running."""
    await until(lambda: tuple(pair.versions for pair in watcher.screen.pairs) == versions)
    await until(lambda: not watcher.screen.running)
    await until(lambda: all(pair.lifecycle is not Lifecycle.AWAITING for pair in watcher.screen.pairs))


def at(watcher: Watcher, position: int) -> str:
    return next(pair.id for pair in watcher.screen.pairs if pair.position == position)


async def test_newest_pair_is_answered_again_at_once_and_that_is_taken_back(watcher: Watcher, tab: Tab) -> None:
    before = watcher.screen.pairs[1]
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 2), model="")
    await settled(watcher, 1, 2)

    assert not tab.shows(ResendState, "later")
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Pair 2: Regenerated", True)
    again = watcher.screen.pairs[1]
    assert again.made_at > before.made_at

    await tab.send(ToastState.undo, toast_id=toast.id)

    assert [pair.version for pair in await stored(watcher)] == [1, 1]
    await until(lambda: watcher.screen.pairs[1].made_at == before.made_at)
    assert tab.shows(ToastState, "toast").message == "Undone: pair 2 regenerated"


async def test_question_about_a_pair_whose_page_was_left_becomes_a_message(
    watcher: Watcher, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(request: ResendRequest) -> ResendResult:
        tab.path = "/c/another"
        await tab.send(VisitState.begin)
        return await send_again(request)

    monkeypatch.setattr(resend, "send_again", leave)
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 1), model="")

    assert tab.shows(ResendState, "later") is None
    assert tab.shows(ToastState, "toast").message.startswith("Pair 1 was not sent again")
    assert [pair.versions for pair in await stored(watcher)] == [1, 1]


async def test_later_pairs_are_asked_about_and_nothing_is_sent_without_an_answer(watcher: Watcher, tab: Tab) -> None:
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 1), model="")
    asked = tab.shows(ResendState, "later")
    assert asked.message.startswith("1 pair follows pair 1.")
    assert [way.name for way in asked.ways] == [
        "Keep the 1 later pair",
        "Discard the 1 later pair",
        "Branch into a new conversation",
    ]
    assert asked.ways[0].note == "1 later pair will be kept."

    await tab.send(ResendState.end)

    assert tab.shows(ResendState, "later") is None
    await tab.send(ResendState.choose_later, key="keep")
    assert [pair.versions for pair in await stored(watcher)] == [1, 1]


async def test_later_pairs_are_discarded_and_come_back_with_the_undo(watcher: Watcher, tab: Tab) -> None:
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 1), model="")
    await tab.send(ResendState.choose_later, key="discard")
    await settled(watcher, 2)
    assert tab.shows(ResendState, "later") is None
    toast = tab.shows(ToastState, "toast")
    assert toast.message == "Pair 1: Regenerated, 1 later pair discarded"

    await tab.send(ToastState.undo, toast_id=toast.id)

    assert [pair.version for pair in await stored(watcher)] == [1, 1]


async def test_branch_is_sent_elsewhere_and_this_conversation_stays(watcher: Watcher, tab: Tab) -> None:
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 1), model="")
    await tab.send(ResendState.choose_later, key="branch")

    assert tab.shows(ToastState, "toast").message.startswith("Branched:")
    assert [pair.versions for pair in await stored(watcher)] == [1, 1]
    (place,) = tab.way
    async with watcher.ctx.store.read() as session:
        branch = await load_pairs(session, LOCAL_OWNER, place.removeprefix("/c/"))
    assert [plain_text(pair.request.parts) for pair in branch] == ["/echo one"]


async def test_pair_that_does_not_fit_asks_how_and_remembers_it(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for name in ("one", "two"):
        await reply_to(ctx, conversation.id, f"/echo {name} {'word ' * 200}")
    await reply_to(ctx, conversation.id, "/fail context_length")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ResendState.answer_again, pair_id=at(watcher, 3), model="")
        asked = tab.shows(ResendState, "over_budget")
        assert [way.key for way in asked.ways[:3]] == ["fit", "force", "summarise"]
        assert asked.message.endswith("Nothing has been sent.")

        await tab.send(ResendState.remember_way, remembers=True)
        await tab.send(ResendState.choose_way, key="fit")
        await settled(watcher, 1, 1, 2)

    assert tab.shows(ResendState, "over_budget") is None
    assert (await read_preferences(ctx, LOCAL_OWNER)).over_budget is OverBudget.FIT


async def test_older_pairs_are_summarised_first_and_then_it_is_sent(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for name in ("one", "two"):
        await reply_to(ctx, conversation.id, f"/echo {name} {'word ' * 200}")
    await reply_to(ctx, conversation.id, "/fail context_length")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ResendState.answer_again, pair_id=at(watcher, 3), model="")
        await tab.send(ResendState.choose_way, key="summarise")
        await settled(watcher, 1, 1, 2)

    assert tab.shows(SummaryState, "work") is None


async def test_older_pairs_of_a_long_newest_pair_are_summarised_before_its_edit_is_sent(
    ctx: AppContext, tab: Tab
) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for words in (200, 200, 1_500):
        await reply_to(ctx, conversation.id, f"/rate 100000\n/echo {'word ' * words}")
    await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(model="offline:tiny"))
    async with watching(ctx, tab, conversation.id, options=ViewOptions(model="offline:tiny")) as watcher:
        await tab.send(EditState.begin, pair_id=at(watcher, 3))
        await tab.send(ResendState.send_edit, form={"text": "word " * 400})
        assert [way.key for way in tab.shows(ResendState, "over_budget").ways[:3]] == ["fit", "force", "summarise"]

        await tab.send(ResendState.choose_way, key="summarise")
        await settled(watcher, 1, 1, 2)

    async with ctx.store.read() as session:
        checkpoint = (await load_conversation(session, LOCAL_OWNER, conversation.id)).checkpoint
    assert checkpoint is not None
    assert checkpoint.position == 2


async def test_failed_request_is_sent_unchanged_and_cannot_be_branched(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/fail server after 3")
    await reply_to(ctx, conversation.id, "/echo two")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ResendState.send_as_it_was, pair_id=at(watcher, 1))
        assert [way.key for way in tab.shows(ResendState, "later").ways] == ["keep", "discard"]

        await tab.send(ResendState.choose_later, key="branch")
        assert tab.shows(ResendState, "later") is not None
        await tab.send(ResendState.choose_later, key="keep")
        await settled(watcher, 2, 1)


async def test_stored_request_that_is_gone_is_explained_without_an_id(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/echo one")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ResendState.send_as_it_was, pair_id=at(watcher, 1))
        toast = tab.shows(ToastState, "toast")
        assert toast.message == (
            "The request of this reply is not stored any more. Choose “Send current request” instead."
        )

        await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("/long 200 /rate 20"))
        await tab.send(ResendState.answer_again, pair_id=at(watcher, 1), model="")
        await tab.send(ResendState.choose_later, key="keep")
        toast = tab.shows(ToastState, "toast")
        assert toast.message == (
            "A reply is still running in this conversation. Wait for it or stop it, then send again."
        )


@pytest.mark.parametrize(("key", "asks_again"), [("force", False), ("current", True)])
async def test_stored_request_that_does_not_fit_asks_whether_to_send_it_anyway(
    ctx: AppContext, tab: Tab, key: str, *, asks_again: bool
) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, f"/echo one {'word ' * 200}")
    await reply_to(ctx, conversation.id, "/fail context_length")
    async with watching(ctx, tab, conversation.id) as watcher:
        await tab.send(ResendState.send_as_it_was, pair_id=at(watcher, 2))
        asked = tab.shows(ResendState, "over_budget")
        assert asked.message.startswith("The stored request does not fit. The limit for Offline demo is ")
        assert [way.name for way in asked.ways] == ["Send it anyway", "Send current request"]
        await tab.send(ResendState.end)
        assert [pair.versions for pair in await stored(watcher)] == [1, 1]

        await tab.send(ResendState.send_as_it_was, pair_id=at(watcher, 2))
        await tab.send(ResendState.choose_way, key=key)

        again = tab.shows(ResendState, "over_budget")
        assert (again is not None) is asks_again
        if again is not None:  # the new request does not fit either, but pairs of it can be left out
            assert again.ways[0].key == "fit"
            await tab.send(ResendState.choose_way, key="fit")
        await settled(watcher, 1, 2)


async def test_refusal_is_shown_and_the_pair_can_be_sent_again(watcher: Watcher, tab: Tab) -> None:
    await tab.send(ResendState.answer_again, pair_id=at(watcher, 2), model="nobody:here")
    assert tab.shows(ToastState, "toast").fault

    await tab.send(ResendState.answer_again, pair_id=at(watcher, 2), model="")

    await settled(watcher, 1, 2)


@pytest.mark.parametrize("pair_id", ["nobody", "", 7, None, "x" * 100])
async def test_no_page_sends_such_a_pair(watcher: Watcher, tab: Tab, pair_id: object) -> None:
    await tab.send(ResendState.answer_again, pair_id=pair_id, model="")
    await tab.send(ResendState.send_as_it_was, pair_id=pair_id)
    await tab.send(ResendState.choose_way, key="force")
    await tab.send(ResendState.take_back, run_id=pair_id)
    await tab.send(SummaryState.stop)

    assert [pair.versions for pair in await stored(watcher)] == [1, 1]
