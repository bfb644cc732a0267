"""Comparisons in state: replies as they arrive, stopped, kept, discarded, restored; a pair that is answered again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from sqlalchemy import text as sql

from app.domain.errors import NotFoundError
from app.domain.settings.preferences import OverBudget, Preferences
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import (
    ComparedModels,
    discard_comparison,
    keep_reply,
    read_comparison,
    start_comparison,
)
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.compare.keeping import KeepingState
from app.state.comparison import ComparisonState
from app.state.composer.state import ComposerState
from app.state.messages.toasts import ToastState
from app.state.reply.resend import ResendState
from app.store.conversation.pairs import load_pairs
from app.views.compare.compared import UNREADABLE, ComparedColumnsView, ComparedColumnView
from tests.runs.steps import a_conversation, reply_to
from tests.state.conftest import Tab
from tests.state.transcript.test_transcript import known, pairs_of, until, visiting

DEMO, TINY = "offline:demo", "offline:tiny"
LONG = "/long 4000 /rate 25"
TOO_MUCH = "A sentence of eight words stands here again. " * 400


@pytest.fixture
async def here(ctx: AppContext, tab: Tab) -> AsyncGenerator[str]:
    """Show a conversation of two pairs in the tab."""
    conversation_id = await a_conversation(ctx, model=DEMO)
    for word in ("one", "two"):
        await reply_to(ctx, conversation_id, f"/echo {word}")
    async with visiting(tab, conversation_id):
        await until(tab, known)
        yield conversation_id


async def compare(ctx: AppContext, tab: Tab, conversation_id: str, text: str) -> None:
    """Start a comparison elsewhere and show its replies in the tab."""
    await start_comparison(ctx, LOCAL_OWNER, conversation_id, SendRequest(text), ComparedModels((DEMO, TINY)))
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison"))
    await tab.send(ComparisonState.show)
    await until(tab, columns)


def columns(tab: Tab) -> tuple[ComparedColumnView, ...]:
    replies = tab.shows(ComparisonState, "replies")
    return () if replies is None else replies.columns


def is_complete(tab: Tab) -> bool:
    return bool(columns(tab)) and not any(column.running for column in columns(tab))


async def stored(ctx: AppContext, conversation_id: str) -> list[tuple[str, int]]:
    async with ctx.store.read() as session:
        found = await load_pairs(session, LOCAL_OWNER, conversation_id)
    return [(pair.model, pair.versions) for pair in found]


async def test_damaged_comparison_is_reported_and_discarded(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model=DEMO)
    await start_comparison(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels((DEMO, TINY)))
    async with ctx.store.write() as session:
        await session.execute(sql("UPDATE comparison SET runs = '[{'"))
    async with visiting(tab, conversation_id):
        await until(tab, lambda tab: tab.shows(ComparisonState, "comparison"))
        await tab.send(ComparisonState.show)
        await until(tab, lambda tab: tab.shows(ComparisonState, "replies"))

        assert tab.shows(ComparisonState, "replies") == ComparedColumnsView(
            "Replies that cannot be read", (), UNREADABLE
        )
        await tab.send(KeepingState.discard)
        await until(tab, lambda tab: not tab.shows(ComparisonState, "comparison"))


async def test_replies_come_side_by_side_while_the_dialog_shows_them(ctx: AppContext, tab: Tab, here: str) -> None:
    await start_comparison(ctx, LOCAL_OWNER, here, SendRequest("/echo Hi"), ComparedModels((DEMO, TINY)))
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison"))
    assert not tab.shows(ComparisonState, "shown"), "another tab began it"
    assert not columns(tab)

    await tab.send(ComparisonState.show)
    await until(tab, is_complete)

    assert tab.shows(ComparisonState, "replies").title == "2 replies to compare"
    assert [(one.model, one.status, one.lifecycle) for one in columns(tab)] == [
        (DEMO, "Complete", "succeeded"),
        (TINY, "Complete", "succeeded"),
    ]
    assert [one.figures.split(" · ")[0] for one in columns(tab)] == ["2 earlier pairs sent", "2 earlier pairs sent"]
    assert "Hi" in getattr(columns(tab)[0].parts[0], "text", "")

    await tab.send(ComparisonState.fold)
    await until(tab, lambda tab: not columns(tab))
    assert tab.shows(ComparisonState, "comparison") is not None


async def test_replies_open_on_demand_only_also_in_a_conversation_of_a_comparison_alone(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model=DEMO)
    await start_comparison(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels((DEMO, TINY)))

    for _ in range(2):
        tab.vars.clear()
        async with visiting(tab, conversation_id):
            await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") and known(tab))
            assert not tab.shows(ComparisonState, "shown")
    async with visiting(tab, conversation_id):
        await tab.send(ComparisonState.show)
        await until(tab, is_complete)


async def test_replies_stay_open_while_the_page_connects_again(ctx: AppContext, tab: Tab, here: str) -> None:
    await compare(ctx, tab, here, "/echo Hi")
    tab.vars.clear()
    tab.log.clear()

    async with visiting(tab, here):
        await until(tab, is_complete)

        assert False not in tab.received(ComparisonState, "shown")
        assert None not in tab.received(ComparisonState, "comparison")


async def test_conversation_that_has_pairs_opens_with_them_and_not_with_a_comparison(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model=DEMO)
    await reply_to(ctx, conversation_id, "/echo one")
    await start_comparison(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels((DEMO, TINY)))

    async with visiting(tab, conversation_id):
        await until(tab, lambda tab: tab.shows(ComparisonState, "comparison"))
        assert not tab.shows(ComparisonState, "shown")


async def test_a_reply_that_runs_is_stopped_and_what_it_said_stays(ctx: AppContext, tab: Tab, here: str) -> None:
    await compare(ctx, tab, here, LONG)
    await until(tab, lambda tab: columns(tab)[0].parts)
    first = columns(tab)[0]
    assert (first.status, first.running) == ("Answering…", True)

    for column in columns(tab):
        await tab.send(KeepingState.stop, run_id=column.run_id)
    await until(tab, is_complete)

    assert [one.status for one in columns(tab)] == ["Stopped", "Stopped"]
    assert columns(tab)[0].parts
    assert tab.shows(KeepingState, "busy") is False


async def test_a_failure_says_what_went_wrong_and_cannot_be_kept(ctx: AppContext, tab: Tab, here: str) -> None:
    await compare(ctx, tab, here, "/fail auth")
    await until(tab, is_complete)
    assert columns(tab)[0].status == "Failed"
    error = columns(tab)[0].error
    assert error is not None
    assert "Simulated error" in error.message

    await tab.send(KeepingState.keep, model=DEMO)

    assert tab.shows(KeepingState, "fault")
    assert tab.shows(ComparisonState, "comparison") is not None
    await tab.send(KeepingState.open)
    assert tab.shows(KeepingState, "fault") == ""


async def test_the_kept_reply_is_current_and_the_dialog_closes(ctx: AppContext, tab: Tab, here: str) -> None:
    await compare(ctx, tab, here, "/echo Hi")
    await until(tab, is_complete)

    await tab.send(KeepingState.keep, model=TINY)
    await until(tab, lambda tab: len(pairs_of(tab)) == 3)

    assert (await stored(ctx, here))[-1] == (TINY, 2)
    assert tab.shows(ComparisonState, "comparison") is None
    assert tab.shows(ComparisonState, "shown") is False


async def test_comparison_from_this_tab_opens_automatically(ctx: AppContext, tab: Tab, here: str) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.compare, models=[DEMO, TINY])
    order = tab.shows(ComposerState, "order")
    await tab.send(ComposerState.send, send_id="1", text="/echo Hi", order_id=order.id)

    await until(tab, is_complete)

    assert tab.shows(ComparisonState, "shown") is True
    assert tab.shows(ComparisonState, "started") == ""


async def test_discarded_words_go_back_into_the_box_and_undo_opens_it_again(
    ctx: AppContext, tab: Tab, here: str
) -> None:
    await compare(ctx, tab, here, "/echo Hi")

    await tab.send(KeepingState.discard)
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") is None)

    assert tab.shows(ComposerState, "order").text == "/echo Hi"
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Comparison discarded", True)
    await tab.send(ToastState.undo, toast_id=toast.id)
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") is not None)
    assert tab.shows(ComparisonState, "shown") is False


async def test_refusal_during_a_comparison_names_its_buttons_and_goes_when_a_reply_is_kept(
    ctx: AppContext, tab: Tab, here: str
) -> None:
    await compare(ctx, tab, here, "/echo Hi")
    await until(tab, is_complete)

    await tab.send(ComposerState.send, send_id="s1", text="/echo early", order_id="")
    await until(tab, lambda tab: tab.shows(ComposerState, "fault"))
    assert tab.shows(ComposerState, "fault") == (
        "A comparison is open in this conversation. Keep or delete its replies first."
    )

    await tab.send(KeepingState.keep, model=DEMO)
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") is None)
    assert tab.shows(ComposerState, "fault") == ""


async def test_a_pair_is_answered_again_and_its_reply_restored(ctx: AppContext, tab: Tab, here: str) -> None:
    first = pairs_of(tab)[0]
    await tab.send(ResendState.compare, pair_id=first.id, models=[DEMO, TINY])
    assert [way.key for way in tab.shows(ResendState, "later").ways] == ["keep", "discard", "branch"]
    await tab.send(ResendState.choose_later, key="discard")
    await until(tab, is_complete_beside_it)

    assert tab.shows(ComparisonState, "replies").title == "2 replies to compare for pair 1"
    assert (columns(tab)[-1].is_current, columns(tab)[-1].status) == (True, "Current")
    await tab.send(KeepingState.keep, model=TINY)
    await until(tab, lambda tab: len(pairs_of(tab)) == 1)
    toast = tab.shows(ToastState, "toast")
    assert toast.message == "Pair 1: the reply of Offline tiny is kept"

    await tab.send(ToastState.undo, toast_id=toast.id)
    await until(tab, lambda tab: len(pairs_of(tab)) == 2)

    assert (pairs_of(tab)[0].version, pairs_of(tab)[0].versions) == (1, 3)


async def test_kept_reply_of_one_of_two_models_with_the_same_name_says_which_one(
    ctx: AppContext, tab: Tab, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_of(_owner: str, _model: str) -> str:
        return "Same"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)
    await tab.send(ResendState.compare, pair_id=pairs_of(tab)[1].id, models=[DEMO, TINY])
    await until(tab, is_complete_beside_it)

    await tab.send(KeepingState.keep, model=TINY)

    await until(tab, lambda tab: tab.shows(ToastState, "toast"))
    assert tab.shows(ToastState, "toast").message == "Pair 2: the reply of Same (tiny) is kept"


async def test_a_pair_is_left_as_it_is(ctx: AppContext, tab: Tab, here: str) -> None:
    await tab.send(ResendState.compare, pair_id=pairs_of(tab)[1].id, models=[DEMO, TINY])
    await until(tab, is_complete_beside_it)

    await tab.send(KeepingState.discard)
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") is None)

    assert tab.shows(ToastState, "toast").message == "Comparison discarded; the pair is unchanged"
    assert tab.shows(ComposerState, "order") is None
    assert await stored(ctx, here) == [(DEMO, 1), (DEMO, 1)]


async def test_a_branch_compares_elsewhere(ctx: AppContext, tab: Tab, here: str) -> None:
    await tab.send(ResendState.compare, pair_id=pairs_of(tab)[0].id, models=[DEMO, TINY])
    await tab.send(ResendState.choose_later, key="branch")

    assert tab.shows(ToastState, "toast").message.startswith("Branched: ")
    assert tab.shows(ComparisonState, "started")
    assert tab.shows(ComparisonState, "comparison") is None
    (place,) = tab.way
    _, compared = await read_comparison(ctx, LOCAL_OWNER, place.removeprefix("/c/"))
    assert [pair.model for pair in compared] == [DEMO, TINY]


async def test_what_does_not_fit_is_asked_about_for_each_model_and_remembered(
    ctx: AppContext, tab: Tab, here: str
) -> None:
    for number in range(3):
        await reply_to(ctx, here, f"/rate 100000\n/echo {number} {TOO_MUCH}")
    await reply_to(ctx, here, "/rate 100000\n/echo last")
    await until(tab, lambda tab: len(pairs_of(tab)) == 6 and known(tab))
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=9_000))
    last = pairs_of(tab)[-1]
    await tab.send(ResendState.compare, pair_id=last.id, models=[DEMO, TINY])
    assert [way.key for way in tab.shows(ResendState, "over_budget").ways] == ["fit", "force"]

    await tab.send(ResendState.end)
    with pytest.raises(NotFoundError):
        await read_comparison(ctx, LOCAL_OWNER, here)
    await tab.send(ResendState.compare, pair_id=last.id, models=[DEMO, TINY])
    await tab.send(ResendState.choose_way, key="force")
    assert "The limit for Offline tiny is " in tab.shows(ResendState, "over_budget").message
    with pytest.raises(NotFoundError):
        await read_comparison(ctx, LOCAL_OWNER, here)
    await tab.send(ResendState.remember_way, remembers=True)
    await tab.send(ResendState.choose_way, key="fit")
    await until(tab, columns)

    comparison, _ = await read_comparison(ctx, LOCAL_OWNER, here)
    assert [run.sent for run in comparison.runs] == [((1, 5),), ()]
    assert (await read_preferences(ctx, LOCAL_OWNER)).over_budget is OverBudget.FIT
    await discard_comparison(ctx, LOCAL_OWNER, here)


async def test_another_page_forgets_what_was_to_be_decided(tab: Tab, here: str) -> None:
    await tab.send(ResendState.compare, pair_id=pairs_of(tab)[0].id, models=[DEMO, TINY])

    await tab.send(ResendState.end)
    await tab.send(ResendState.choose_later, key="keep")

    assert tab.shows(ResendState, "later") is None
    assert tab.shows(ComparisonState, "comparison") is None


async def test_what_goes_elsewhere_closes_the_dialog(ctx: AppContext, tab: Tab, here: str) -> None:
    await compare(ctx, tab, here, "/echo Hi")
    await until(tab, is_complete)

    await keep_reply(ctx, LOCAL_OWNER, here, DEMO)
    await until(tab, lambda tab: tab.shows(ComparisonState, "comparison") is None)

    assert tab.shows(ComparisonState, "shown") is False


@pytest.mark.parametrize("value", ["", "nobody", 7, None, ["x"], "x" * 1000])
async def test_no_page_asks_for_such_things(ctx: AppContext, tab: Tab, here: str, value: Any) -> None:
    for handler, name in (
        (KeepingState.stop, "run_id"),
        (KeepingState.keep, "model"),
        (KeepingState.reopen, "conversation_id"),
        (ResendState.choose_later, "key"),
        (ResendState.choose_way, "key"),
    ):
        await tab.send(handler, **{name: value})
    await tab.send(ResendState.compare, pair_id=value, models=[DEMO, TINY])
    await tab.send(KeepingState.take_back, conversation_id=here, pair_id=value, version=1, gone=[])

    assert await stored(ctx, here) == [(DEMO, 1), (DEMO, 1)]
    assert tab.shows(ComparisonState, "comparison") is None


def is_complete_beside_it(tab: Tab) -> bool:
    return len(columns(tab)) == 3 and is_complete(tab)
