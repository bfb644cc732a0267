"""The pairs of a page when an older reading of them arrives late."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import Text
from app.domain.run.growth import describe_growth
from app.domain.run.run import RunState
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.pairs import WatchedPairs
from app.store.run.stored_runs import load_run
from tests.runs.steps import a_conversation, pair_of, reply_to, send
from tests.runs.watch.page import text_of


@pytest.fixture
async def pairs(ctx: AppContext) -> WatchedPairs:
    return WatchedPairs(ctx, LOCAL_OWNER)


async def answered(ctx: AppContext, conversation_id: str) -> Pair:
    return (await reply_to(ctx, conversation_id, "/long 5 /rate 0")).pair


def began(pair: Pair, run_id: str = "the-next-run") -> Pair:
    return replace(pair, lifecycle=Lifecycle.AWAITING, run_id=run_id)


async def put(pairs: WatchedPairs, *found: Pair) -> Pair | None:
    async with pairs.reading:
        return pairs.put_all(found)


def grow(pairs: WatchedPairs, state: RunState, before: RunState | None = None) -> None:
    pairs.grow(state, describe_growth(before, state))


async def state_of(ctx: AppContext, pair: Pair, text: str, run_id: str) -> RunState:
    """Return the state of a run of this pair that has received `text`."""
    assert pair.run_id is not None
    async with ctx.store.read() as session:
        state = (await load_run(session, LOCAL_OWNER, pair.run_id)).state
    return replace(state, start=replace(state.start, run_id=run_id), parts=(Text(text),), outcome=None)


async def test_what_was_read_before_the_next_reply_began_does_not_replace_it(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    before = await answered(ctx, await a_conversation(ctx, model="offline:demo"))

    pairs.start(began(before))

    assert await put(pairs, before) is None
    assert pairs.views[before.id].lifecycle is Lifecycle.AWAITING
    assert pairs.views[before.id].parts == ()


async def test_a_reply_that_streams_is_not_replaced_by_what_was_read_of_it(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    stored = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    pairs.start(began(stored))
    grow(pairs, await state_of(ctx, stored, "so far", "the-next-run"))

    assert await put(pairs, replace(stored, run_id="the-next-run")) is None

    assert text_of(pairs.views[stored.id]) == "so far"


async def test_a_running_reply_that_is_not_followed_yet_is_returned_to_its_reader(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    running = began(await answered(ctx, await a_conversation(ctx, model="offline:demo")))

    assert await put(pairs, running) is running


async def test_a_reply_read_before_the_next_one_began_is_not_followed_again(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    stored = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    pairs.start(replace(began(stored, "anew"), updated_at=stored.updated_at + timedelta(seconds=1)))

    assert await put(pairs, began(stored, "before")) is None

    assert pairs.follows(stored.id, "anew")


async def test_marks_shown_since_a_reading_began_stay(ctx: AppContext, pairs: WatchedPairs) -> None:
    stored = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    await put(pairs, stored)
    async with pairs.reading:
        read = await pairs.load((stored.id,))
        pairs.amend(stored.id, {"stars": 3})
        pairs.put_all(read)

    assert pairs.views[stored.id].stars == 3


async def test_a_pair_sent_again_before_its_end_was_shown_starts_again(ctx: AppContext, pairs: WatchedPairs) -> None:
    stored = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    pairs.start(began(stored, "before"))
    grow(pairs, await state_of(ctx, stored, "before", "before"))

    assert await pairs.end(stored.id, "before") is False
    pairs.start(began(stored, "anew"))
    grow(pairs, await state_of(ctx, stored, "late", "before"))
    grow(pairs, await state_of(ctx, stored, "anew", "anew"))
    assert await pairs.end(stored.id, "before") is False

    assert text_of(pairs.views[stored.id]) == "anew"
    assert pairs.views[stored.id].lifecycle is Lifecycle.AWAITING


async def test_the_end_of_a_reply_is_shown_though_the_next_one_began(ctx: AppContext, pairs: WatchedPairs) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    first = await answered(ctx, conversation_id)
    assert first.run_id is not None
    pairs.start(began(first, first.run_id))
    second = await send(ctx, conversation_id, "/slow")
    pairs.start(await pair_of(ctx, second.pair_id))

    assert await pairs.end(first.id, first.run_id) is True

    ended, running = pairs.in_order()
    assert (ended.lifecycle, running.lifecycle in RUNNING) == (Lifecycle.SUCCEEDED, True)
    assert pairs.following is not None
    assert pairs.following.id == second.pair_id


async def test_the_end_of_a_reply_that_left_the_window_brings_nothing_back(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    first = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    assert first.run_id is not None
    pairs.start(began(first, first.run_id))

    pairs.forget((first.id,))

    assert await pairs.end(first.id, first.run_id) is False
    assert pairs.in_order() == ()


async def test_parts_that_are_as_they_were_stay_the_same_values(ctx: AppContext, pairs: WatchedPairs) -> None:
    stored = await answered(ctx, await a_conversation(ctx, model="offline:demo"))
    pairs.start(began(stored, "r"))
    one = await state_of(ctx, stored, "one", "r")
    grow(pairs, one)
    before = pairs.views[stored.id]

    two = replace(one, parts=(*one.parts, Text("two")))
    grow(pairs, two, one)
    after = pairs.views[stored.id]
    grow(pairs, replace(two), two)

    assert after.parts[0] is before.parts[0]
    assert pairs.views[stored.id] is after


async def test_the_order_and_the_running_pair_are_known_after_every_change(
    ctx: AppContext, pairs: WatchedPairs
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    first, second = await answered(ctx, conversation_id), await answered(ctx, conversation_id)

    await put(pairs, second)
    assert ([pair.id for pair in pairs.in_order()], pairs.running) == ([second.id], "")
    await put(pairs, first)
    assert [pair.id for pair in pairs.in_order()] == [first.id, second.id]

    pairs.start(began(second))
    assert ([pair.id for pair in pairs.in_order()], pairs.running) == ([first.id, second.id], second.id)
    grow(pairs, await state_of(ctx, second, "so far", "the-next-run"))
    pairs.amend(first.id, {"stars": 3})
    shown = pairs.in_order()
    assert (shown[0].stars, text_of(shown[1])) == (3, "so far")

    pairs.forget([second.id])
    assert ([pair.id for pair in pairs.in_order()], pairs.running) == ([first.id], "")


async def test_models_with_the_same_name_are_told_apart(
    ctx: AppContext, pairs: WatchedPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_of(_owner: str, _model: str) -> str:
        return "Same"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)
    conversation_id = await a_conversation(ctx, model="offline:demo")
    first = await answered(ctx, conversation_id)
    await put(pairs, first)
    assert [view.model_name for view in pairs.in_order()] == ["Same"]

    second = replace(await answered(ctx, conversation_id), model="offline:tiny")
    await put(pairs, second)

    assert [view.model_name for view in pairs.in_order()] == ["Same (demo)", "Same (tiny)"]
