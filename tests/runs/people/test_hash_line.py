"""Who waits to have a password hashed: known people first, and a flood does not fill the line for others."""

from __future__ import annotations

import asyncio

import pytest

from app.runs.people.hash_line import FIRST, HashLine, TooBusyError


async def begin(line: HashLine, order: list[str], *waiting: tuple[str, int]) -> list[asyncio.Task[None]]:
    """Have these wait, one after the other."""

    async def take(name: str, rank: int) -> None:
        async with line.turn(rank):
            order.append(name)
            await asyncio.sleep(0)

    tasks: list[asyncio.Task[None]] = []
    for name, rank in waiting:
        tasks.append(asyncio.create_task(take(name, rank)))
        await asyncio.sleep(0)
    return tasks


async def test_the_lowest_rank_goes_first_and_of_equals_who_came_first() -> None:
    line, order = HashLine(), list[str]()

    async with line.turn(FIRST):
        tasks = await begin(line, order, ("worn", 9), ("new", 1), ("newer", 1), ("known", FIRST))
    await asyncio.gather(*tasks)

    assert order == ["known", "new", "newer", "worn"]


async def test_a_full_line_refuses_who_tried_most_and_nobody_who_is_known() -> None:
    line, order = HashLine(max_strangers=2), list[str]()

    async with line.turn(FIRST):
        tasks = await begin(line, order, ("a", 5), ("b", 5), ("c", 5), ("new", 1), ("k", FIRST), ("l", FIRST))
        await asyncio.sleep(0)
        refused = [task.done() for task in tasks]
    ended = await asyncio.gather(*tasks, return_exceptions=True)

    assert refused == [False, True, True, False, False, False]
    assert [type(one) for one in ended] == [type(None), TooBusyError, TooBusyError, *[type(None)] * 3]
    assert order == ["k", "l", "new", "a"]


@pytest.mark.parametrize("moment", ["waiting", "called"])
async def test_who_goes_away_holds_nobody_up(moment: str) -> None:
    line, order = HashLine(), list[str]()

    async with line.turn(FIRST):
        gone, stays = await begin(line, order, ("gone", FIRST), ("stays", FIRST))
        if moment == "waiting":
            gone.cancel()
            await asyncio.sleep(0)
    gone.cancel()  # now its turn has come, and it does not know yet
    async with asyncio.timeout(2):
        await stays
        async with line.turn(FIRST):
            order.append("later")

    assert order == ["stays", "later"]
