"""The order of a tab's background handlers."""

from __future__ import annotations

import asyncio

from app.state.tab.turns import Turns, token_in


async def test_turns_of_one_order_start_one_after_the_other() -> None:
    turns, done = Turns(), list[str]()

    async def work(name: str, pause: float) -> None:
        async with turns.held(turns.take("tab")):
            await asyncio.sleep(pause)
            done.append(name)

    await asyncio.gather(work("one", 0.01), work("two", 0))

    assert done == ["one", "two"]


async def test_an_order_that_continues_another_waits_for_its_turns() -> None:
    turns, first, made = Turns(), token_in("tab", ""), token_in("tab", "c1")
    begun = turns.take(first)

    turns.continue_in(first, made)
    later, another = turns.take(made), turns.take(token_in("tab", "c2"))

    assert later.before is begun.over
    assert another.before is None
    async with turns.held(begun):
        pass
    async with turns.held(later):
        pass
    assert turns.take(made).before is None, "the turns have ended"


async def test_an_order_that_nothing_continued_in_is_forgotten_with_its_last_turn() -> None:
    turns = Turns()
    only = turns.take("first")
    turns.continue_in("first", "other")
    turns.continue_in("unknown", "other")

    async with turns.held(only):
        pass

    assert (turns.take("first").before, turns.take("other").before) == (None, None)
