"""The transcript of a page: it follows its conversation until the page leaves, and is the same when its state is lost.

`follow` runs until it is cancelled, so each test visits a conversation and leaves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from app.domain.conversation.marks import Marks
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.request import indexes
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.runs.watch import composed, panels
from app.state.comparison import ComparisonState
from app.state.composer.permissions import PermissionsState
from app.state.composer.queue import QueueState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.shell.notice import NoticeState
from app.state.transcript.transcript import TranscriptState
from tests.runs.steps import a_conversation, reply_to, send
from tests.runs.watch.page import store_past, text_of
from tests.state.conftest import Tab

VARS = (
    (TranscriptState, ("conversation", "known", "gone", "pairs", "earlier", "later", "boundary", "running")),
    (FilterState, ("filter", "description", "notices", "refusal", "topic")),
    (ComposerState, ("estimate", "model", "x", "y", "tools")),
    (ComparisonState, ("comparison",)),
    (PermissionsState, ("cards",)),
    (QueueState, ("queue", "said")),
)


async def until(tab: Tab, seen: Callable[[Tab], object]) -> None:
    """Wait until the page shows this."""
    await tab.until(lambda: bool(seen(tab)))


async def until_watched(ctx: AppContext, tab: Tab) -> None:
    """Wait until the page shows a change of its last pair that is made now: it has then shown all that came before."""
    last = pairs_of(tab)[-1]
    for stars in (3 - last.stars, last.stars):
        await mark_pair(ctx, LOCAL_OWNER, last.id, Marks(stars=stars))
        await until(tab, lambda tab, stars=stars: pairs_of(tab)[-1].stars == stars)


@asynccontextmanager
async def visiting(tab: Tab, conversation_id: str) -> AsyncGenerator[asyncio.Task[None]]:
    """A visit of a conversation: what its page loads first is sent, and ended when one leaves."""
    tab.path = f"/c/{conversation_id}"
    visit = asyncio.create_task(tab.send(TranscriptState.open))
    try:
        yield visit
    finally:
        visit.cancel()
        with suppress(asyncio.CancelledError):
            await visit
        await tab.processor.join()  # pyright: ignore[reportUnknownMemberType] - Reflex does not say of what its queue is


def pairs_of(tab: Tab) -> tuple[Any, ...]:
    return tab.shows(TranscriptState, "pairs") or ()


def positions(tab: Tab) -> list[int]:
    return [pair.position for pair in pairs_of(tab)]


def known(tab: Tab) -> bool:
    return tab.shows(ComposerState, "estimate") is not None


def all_shown(tab: Tab) -> dict[str, Any]:
    return {f"{state.__name__}.{name}": tab.shows(state, name) for state, names in VARS for name in names}


async def a_past(ctx: AppContext, count: int) -> str:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await store_past(ctx, conversation_id, count)
    return conversation_id


async def test_a_page_shows_the_conversation_of_its_address(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 3)

    async with visiting(tab, conversation_id):
        await until(tab, known)

    assert positions(tab) == [1, 2, 3]
    assert tab.shows(TranscriptState, "conversation") == conversation_id
    assert tab.shows(TranscriptState, "known") is True
    assert (tab.shows(ComposerState, "x"), tab.shows(ComposerState, "y")) == (3, 3)
    assert tab.shows(ComposerState, "model") == "offline:demo"


async def test_a_reply_streams_into_the_page(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with visiting(tab, conversation_id):
        await until(tab, known)
        started = await send(ctx, conversation_id, "/long 30 /rate 100")
        await until(tab, lambda tab: pairs_of(tab) and text_of(pairs_of(tab)[0]))
        assert tab.shows(TranscriptState, "running") == started.pair_id
        await until(tab, lambda tab: tab.shows(TranscriptState, "ended") == started.pair_id)

    assert tab.shows(TranscriptState, "running") == ""
    assert pairs_of(tab)[0].lifecycle == "succeeded"


async def test_what_happens_in_the_conversation_reaches_the_page(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    (pair,) = await store_past(ctx, conversation_id, 1)

    async with visiting(tab, conversation_id):
        await until(tab, known)
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(stars=2))
        await until(tab, lambda tab: pairs_of(tab)[0].stars == 2)
        started = await send(ctx, conversation_id, "/slow 20 /long 100")
        await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("And then?", ViewOptions()))
        await until(tab, lambda tab: (queue := tab.shows(QueueState, "queue")) and queue.items)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    assert tab.shows(QueueState, "queue").items[0].text == "And then?"


async def test_a_replayed_reply_is_shown_as_one(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))
    for replayed in (False, True):
        conversation_id = await a_conversation(ctx, model="offline:demo")
        await reply_to(ctx, conversation_id, "/echo Once is enough")
        async with visiting(tab, conversation_id):
            await until(tab, lambda tab: pairs_of(tab) and pairs_of(tab)[0].conversation_id == conversation_id)  # noqa: B023 - it holds within this round
        assert pairs_of(tab)[0].replayed is replayed


async def test_a_page_that_leaves_is_followed_no_more(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 1)

    async with visiting(tab, conversation_id):
        await until(tab, known)
    async with asyncio.timeout(20):
        while tasks := [task for task in asyncio.all_tasks() if "Watcher" in repr(task.get_coro())]:
            await asyncio.wait(tasks)
    await store_past(ctx, conversation_id, 1, first=2)
    another = Tab(tab.processor)
    async with visiting(another, conversation_id):
        await until(another, known)

    assert (positions(tab), positions(another)) == ([1], [1, 2])


async def test_another_conversation_takes_the_place_of_the_first(ctx: AppContext, tab: Tab) -> None:
    first, second = await a_past(ctx, 3), await a_conversation(ctx, model="offline:tiny")

    async with visiting(tab, first):
        await until(tab, known)
        async with visiting(tab, second):
            await until(tab, lambda tab: tab.shows(ComposerState, "model") == "offline:tiny")
            assert positions(tab) == []
            await store_past(ctx, first, 1, first=4)
            await reply_to(ctx, first, "/echo unseen")
            await reply_to(ctx, second, "/echo seen")
            await until(tab, lambda tab: pairs_of(tab) and text_of(pairs_of(tab)[0]))

    assert [text_of(pair) for pair in pairs_of(tab)] == ["seen"]
    assert tab.shows(TranscriptState, "conversation") == second


async def test_a_page_without_a_conversation_follows_none(ctx: AppContext, tab: Tab) -> None:
    async with visiting(tab, await a_past(ctx, 1)):
        await until(tab, known)

    tab.path = "/"
    await tab.send(TranscriptState.open)
    await tab.send(TranscriptState.follow)

    assert (positions(tab), tab.shows(TranscriptState, "conversation")) == ([], "")


async def test_a_deleted_conversation_says_so(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 1)

    async with visiting(tab, conversation_id) as visit:
        await until(tab, known)
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        await visit

    assert tab.shows(TranscriptState, "gone") is True


async def test_a_conversation_that_is_not_there_says_so(tab: Tab) -> None:
    async with visiting(tab, "never-was") as visit:
        await visit

    assert tab.shows(TranscriptState, "gone") is True


async def test_a_temporary_conversation_is_followed(ctx: AppContext, tab: Tab) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")

    async with visiting(tab, made.id):
        await until(tab, known)
        await send(await context_for(ctx, made.id), made.id, "/echo Secret")
        await until(tab, lambda tab: tab.shows(TranscriptState, "ended"))

    assert text_of(pairs_of(tab)[0]) == "Secret"


async def test_a_page_whose_state_is_lost_shows_the_same_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 40)
    async with visiting(tab, conversation_id):
        await until(tab, known)
        await until_watched(ctx, tab)
        before = all_shown(tab)

    again = Tab(tab.processor)  # an unknown token
    async with visiting(again, conversation_id):
        await until(again, known)
        await until_watched(ctx, again)
        after = all_shown(again)

    assert {name: value for name, value in after.items() if value is not None} == {
        name: value for name, value in before.items() if after[name] is not None
    }
    assert positions(again) == list(range(11, 41))


async def test_page_shows_the_same_before_and_after_empty_panels_are_read(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_all, goes_on = panels.read_all, asyncio.Event()

    async def read_late(ctx: AppContext, owner: str, conversation_id: str) -> panels.Panels:
        await goes_on.wait()
        return await read_all(ctx, owner, conversation_id)

    monkeypatch.setattr(panels, "read_all", read_late)
    async with visiting(tab, await a_past(ctx, 1)):
        await until(tab, known)
        before = all_shown(tab)
        tab.log.clear()
        goes_on.set()
        await until(tab, lambda tab: tab.received(QueueState, "queue"))

    assert all_shown(tab) == before


async def test_a_fault_of_following_ends_it_with_a_notice(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise KeyError("a secret of the house")

    monkeypatch.setattr(composed, "read_base", fail)

    async with visiting(tab, await a_past(ctx, 1)) as visit:
        await visit
    await tab.send(NoticeState.dismiss)

    assert tab.shows(NoticeState, "message") == ""  # it changed, so there was one
    assert not tab.shows(TranscriptState, "known")


async def test_page_whose_updates_failed_offers_to_resume_them(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise KeyError("a secret of the house")

    conversation_id = await a_past(ctx, 1)
    with monkeypatch.context() as patch:
        patch.setattr(composed, "read_base", fail)
        async with visiting(tab, conversation_id) as visit:
            await visit
    assert tab.shows(TranscriptState, "stopped") is True

    async with visiting(tab, conversation_id):  # what the button of the note does
        await until(tab, known)
        await reply_to(ctx, conversation_id, "/echo more")
        await until(tab, lambda tab: positions(tab) == [1, 2])
    assert tab.shows(TranscriptState, "stopped") is False


async def test_a_reader_walks_through_a_long_conversation(ctx: AppContext, tab: Tab) -> None:
    async with visiting(tab, await a_past(ctx, 300)):
        await until(tab, known)
        assert (positions(tab)[0], tab.shows(TranscriptState, "earlier")) == (271, True)

        await tab.send(TranscriptState.show_earlier)
        await until(tab, lambda tab: positions(tab)[0] == 211)
        await tab.send(TranscriptState.show_position, position=0)
        await until(tab, lambda tab: positions(tab)[0] == 1)
        assert tab.shows(TranscriptState, "later") is True
        end = positions(tab)[-1]
        await tab.send(TranscriptState.show_later)
        await until(tab, lambda tab: positions(tab)[-1] > end)
        await tab.send(TranscriptState.show_newest)
        await until(tab, lambda tab: positions(tab)[-1] == 300 and not tab.shows(TranscriptState, "later"))


@pytest.mark.parametrize("position", ["one", None, -1, 2**80, [1]])
async def test_a_position_that_no_page_sends_moves_nothing_and_harms_nothing(
    ctx: AppContext, tab: Tab, position: Any
) -> None:
    async with visiting(tab, await a_past(ctx, 2)):
        await until(tab, known)
        with suppress(TypeError, ValueError):
            await tab.send(TranscriptState.show_position, position=position)
        await until_watched(ctx, tab)

    assert positions(tab) == [1, 2]


@pytest.mark.parametrize("handler", ["show_earlier", "show_later", "show_newest"])
async def test_walking_where_nothing_is_followed_does_nothing(tab: Tab, handler: str) -> None:
    await tab.send(getattr(TranscriptState, handler))

    assert pairs_of(tab) == ()


# --- the filter and the draft ---


async def test_another_filter_replaces_what_is_in_view(ctx: AppContext, tab: Tab) -> None:
    async with visiting(tab, await a_past(ctx, 4)):
        await until(tab, known)
        await tab.send(FilterLineState.enter, line="r1")
        await until(tab, lambda tab: positions(tab) == [4])

    assert tab.shows(FilterState, "filter") == "r1"
    assert tab.shows(FilterState, "description")
    assert tab.shows(ComposerState, "y") == 1
    assert tab.shows(ComposerState, "split").counted == "4 pairs in this conversation: 1 of 1 pairs in view are sent"


async def test_a_filter_that_cannot_be_read_says_where_and_the_one_in_force_stays(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 2)
    tab.path = f"/c/{conversation_id}?f=s7"
    await tab.send(FilterState.open)
    async with visiting(tab, conversation_id):
        await until(tab, lambda tab: tab.shows(FilterState, "refusal"))

    refusal = tab.shows(FilterState, "refusal")
    assert (refusal.position, refusal.found) == (1, "7")
    assert not tab.shows(FilterState, "filter")
    assert positions(tab) == [1, 2]


async def test_a_look_chosen_before_the_page_is_followed_holds(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 3)
    tab.path = f"/c/{conversation_id}?f=r1"
    await tab.send(FilterState.open)

    async with visiting(tab, conversation_id):
        await until(tab, known)

    assert positions(tab) == [3]


async def test_counter_and_limit_follow_the_model_that_is_chosen(ctx: AppContext, tab: Tab) -> None:
    async with visiting(tab, await a_past(ctx, 120)):
        await until(tab, known)
        before = tab.shows(ComposerState, "estimate").limit
        assert (tab.shows(ComposerState, "x"), tab.shows(ComposerState, "y")) == (120, 120)

        await tab.send(ModelState.choose, model="offline:tiny")
        await until(tab, lambda tab: tab.shows(ComposerState, "model") == "offline:tiny")

        assert tab.shows(ComposerState, "estimate").limit < before
        assert tab.shows(ComposerState, "x") < tab.shows(ComposerState, "y") == 120


async def test_a_draft_is_counted(ctx: AppContext, tab: Tab) -> None:
    async with visiting(tab, await a_past(ctx, 1)):
        await until(tab, known)
        await tab.send(ComposerState.write, draft="hello " * 200, typed=True)
        await until(tab, lambda tab: tab.shows(ComposerState, "estimate").draft >= 200)


async def test_a_draft_written_before_the_page_is_followed_is_counted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_past(ctx, 1)
    tab.path = f"/c/{conversation_id}"
    await tab.send(ComposerState.write, draft="hello " * 200, typed=True)

    async with visiting(tab, conversation_id):
        await until(tab, known)

    assert tab.shows(ComposerState, "estimate").draft >= 200


async def test_counting_stands_where_the_estimate_will_be(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    await store_past(ctx, conversation, 5)
    monkeypatch.setattr(indexes, "BATCH", 2)
    count, goes_on, asked = indexes.count_texts, asyncio.Event(), list[str]()

    async def count_slowly(vocabulary: str, texts: Sequence[str]) -> list[int]:
        asked.append(vocabulary)
        if len(asked) == 3:
            await goes_on.wait()
        return await count(vocabulary, texts)

    monkeypatch.setattr(indexes, "count_texts", count_slowly)
    async with visiting(tab, conversation):
        await until(tab, lambda tab: tab.shows(ComposerState, "counting") == "Counting tokens: 4 of 5 pairs")
        assert not known(tab)
        assert positions(tab) == [1, 2, 3, 4, 5]
        goes_on.set()
        await until(tab, known)
        await until(tab, lambda tab: tab.shows(ComposerState, "counting") == "")


async def test_a_ceiling_of_ones_own_is_named_as_the_limit(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=3_500))

    async with visiting(tab, await a_past(ctx, 1)):
        await until(tab, known)

    split = tab.shows(ComposerState, "split")
    assert (split.limit, split.limited_by) == ("3,500", "your token limit")


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("offline:demo", "free"),
        ("anthropic:claude-sonnet-4-5", "$0.0"),
        ("openai:a-model-nobody-knows", "price unknown"),
    ],
)
async def test_price_and_how_sure_it_is_stand_beside_the_figure(
    ctx: AppContext, tab: Tab, model: str, cost: str
) -> None:
    conversation_id = await a_conversation(ctx, model=model)
    await store_past(ctx, conversation_id, 1)

    async with visiting(tab, conversation_id):
        await until(tab, known)
        await tab.send(ComposerState.write, draft="hello " * 2_000, typed=True)
        await until(tab, lambda tab: tab.shows(ComposerState, "estimate").draft >= 2_000)

    split = tab.shows(ComposerState, "split")
    assert split.cost.startswith(cost)
    assert split.tokens.startswith("~") == split.certainty.startswith("±") == (split.certainty != "exact")
