"""Checking values against schemas that somebody else wrote: whatever they are, nobody waits for them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Generator
from typing import Any

import pytest

from app.schemas import checker
from app.schemas.checker import check_schema, check_value
from tests.schemas.attacks import ATTACKS

EASY = '{"type": "string"}'


@pytest.fixture(autouse=True, scope="module")
def _process_ends() -> Generator[None]:
    yield
    checker.close()


@pytest.fixture(autouse=True)
def _nothing_is_refused() -> None:
    checker.forget_refused()


@pytest.mark.parametrize("name", ATTACKS)
async def test_schema_that_takes_too_long_is_given_up_and_others_are_checked(name: str) -> None:
    schema, value = ATTACKS[name]

    given_up = await check_value(json.dumps(schema), value)
    other = await check_value(EASY, 3)

    assert given_up.too_long
    assert "takes more than 2 seconds to check" in str(given_up.unusable)
    assert other.faults == (((), "3 is not of type 'string'"),)


async def test_schema_that_took_too_long_is_refused_without_trying_it_again() -> None:
    schema, value = ATTACKS["a pattern that backtracks"]
    await check_value(json.dumps(schema), value)
    await check_value(EASY, "")
    process = checker.process_id()

    again = await check_value(json.dumps(schema), value)
    await check_value(EASY, "")

    assert again.too_long
    assert checker.process_id() == process


async def test_nobody_else_waits_while_a_schema_is_checked() -> None:
    await check_value(EASY, "")
    process = checker.process_id()
    assert process is not None

    os.kill(process, signal.SIGSTOP)  # it answers no question until it is resumed
    try:
        asked = asyncio.create_task(check_value(EASY, 3))
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert not asked.done()
    finally:
        os.kill(process, signal.SIGCONT)

    assert (await asked).faults == (((), "3 is not of type 'string'"),)


async def test_schema_that_takes_too_much_memory_is_given_up_and_others_are_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checker, "MAX_SECONDS", 1_000.0)  # memory runs out first, however slow the machine is
    monkeypatch.setattr(checker, "MAX_WAIT_SECONDS", 1_000.0)
    checker.close()
    many = {"anyOf": [{"type": "number"}] * 2_000}  # each of them quotes the value

    given_up = await check_value(json.dumps(many), "x" * 1_000_000)
    other = await check_value(EASY, 3)
    checker.close()  # the next process has the usual bounds

    assert given_up.unusable == "takes too much memory to check"
    assert other.faults == (((), "3 is not of type 'string'"),)


async def test_process_that_was_killed_is_started_again() -> None:
    await check_value(EASY, "")
    first = checker.process_id()

    checker.close()
    again = await check_value(EASY, 3)

    assert again.faults == (((), "3 is not of type 'string'"),)
    assert checker.process_id() not in {None, first}


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ("", "cannot be applied"),
        ("[" * 5_000, "without end, or is nested too deeply"),
        ('{"$ref": "#"}', "refers to itself without end"),
        ('{"$ref": "#/nowhere"}', "refers to a place that does not exist"),
        ('{"$ref": "http://127.0.0.1:9/schema.json"}', "refers to a place that does not exist"),
        (f'{{"title": "{"x" * 100_000}"}}', "the maximum is 100,000"),
    ],
)
async def test_schema_that_cannot_be_applied_says_why(schema: str, says: str) -> None:
    assert says in str((await check_schema(schema)).unusable)
    assert says in str((await check_value(schema, {})).unusable)


async def test_message_and_path_of_a_fault_have_bounds() -> None:
    name = "n" * 100_000

    (fault,) = (await check_value('{"additionalProperties": {"type": "string"}}', {name: ["x" * 100_000]})).faults

    assert fault[0] == ()
    assert len(fault[1]) == 300


async def test_value_that_json_cannot_hold_is_told() -> None:
    nested: Any = []
    for _ in range(5_000):
        nested = [nested]

    assert "nested too deeply" in str((await check_value("{}", nested)).unusable)
