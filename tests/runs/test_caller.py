from __future__ import annotations

import asyncio

import pytest

from app.runs.caller import NoCallerError, act_as, acting_as, caller


async def in_own_task(person_id: str) -> str:
    act_as(person_id)
    await asyncio.sleep(0)
    return await asyncio.create_task(inherited())


async def inherited() -> str:
    return caller()


async def test_without_a_named_person_there_is_no_caller() -> None:
    with pytest.raises(NoCallerError):
        caller()


async def test_each_task_has_its_own_caller_and_the_tasks_it_starts_inherit_it() -> None:
    told = await asyncio.gather(*(asyncio.create_task(in_own_task(person)) for person in ("ann", "ben")))

    assert told == ["ann", "ben"]
    with pytest.raises(NoCallerError):
        caller()


async def test_caller_named_for_a_while_ends_with_it() -> None:
    with acting_as("ann"):
        assert caller() == "ann"
    with pytest.raises(NoCallerError):
        caller()
