"""Values checked against untrusted schemas: whatever these are, other requests do not wait."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Generator
from typing import Any

import pytest

from app.schema_check import check_costs, checker
from app.schema_check.checker import check_schema, check_value
from tests.schema_check.attacks import ATTACKS

EASY = '{"type": "string"}'


@pytest.fixture(autouse=True, scope="module")
def _process_ends() -> Generator[None]:
    yield
    checker.close()


@pytest.fixture(autouse=True)
def _nothing_is_refused() -> None:
    checker.forget_refused()


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record a line for each process that would be started; none is started."""
    started: list[str] = []
    start = checker.start_worker

    def count(*arguments: str, shared: tuple[int, ...]) -> subprocess.Popen[bytes]:
        started.append(arguments[0])
        return start(*arguments, shared=shared)

    checker.close()
    monkeypatch.setattr(checker, "start_worker", count)
    return started


@pytest.mark.parametrize("name", ATTACKS)
async def test_schema_that_takes_too_long_is_given_up_and_others_are_checked(name: str) -> None:
    schema, value = ATTACKS[name]

    given_up = await check_value(json.dumps(schema), value, account="me")
    other = await check_value(EASY, 3, account="me")

    assert given_up.too_long
    assert "takes more than 2 seconds to check" in str(given_up.unusable)
    assert other.faults == (((), "3 is not of type 'string'"),)


async def test_schema_that_took_too_long_is_refused_without_trying_it_again() -> None:
    schema, value = ATTACKS["a pattern that backtracks"]
    await check_value(json.dumps(schema), value, account="me")
    await check_value(EASY, "", account="me")
    process = checker.process_id()

    again = await check_value(json.dumps(schema), value, account="me")
    await check_value(EASY, "", account="me")

    assert again.too_long
    assert checker.process_id() == process


async def test_pattern_that_took_too_long_is_not_tried_again_whatever_is_around_it(starts: list[str]) -> None:
    pattern, value = "^(a+)+$", "a" * 60 + "!"
    around: list[Any] = [{"title": f"Pair {n}", "properties": {f"p{n}": {"pattern": pattern}}} for n in range(12)]
    names: Any = {"patternProperties": {pattern: {}}, "additionalProperties": False}

    checked = [await check_value(json.dumps(one), {f"p{n}": value}, account=str(n)) for n, one in enumerate(around)]
    named = await check_value(json.dumps(names), {value: 1}, account="names")
    shorter = await check_value(json.dumps(around[0]), {"p0": "aaa!"}, account="shorter")

    assert all(one.too_long for one in (*checked, named))
    assert shorter.faults == ((("p0",), "'aaa!' does not match '^(a+)+$'"),)
    assert len(starts) == 2  # the first check ended its process; a second one answered all the rest


async def test_schema_that_took_too_long_is_refused_under_every_title(starts: list[str]) -> None:
    schema, value = ATTACKS["references that multiply"]

    checked = [await check_value(json.dumps({"title": f"{n}", **schema}), value, account=str(n)) for n in range(12)]

    assert all(one.too_long for one in checked)
    assert len(starts) == 1


async def test_account_whose_schemas_are_slow_has_nothing_checked_until_its_window_is_over(
    starts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(checker, "monotonic", lambda: clock[0])
    monkeypatch.setattr(check_costs, "MAX_SPENT", 2 * checker.MAX_SECONDS)
    slow = [json.dumps({"pattern": f"^({letter}+)+$"}) for letter in "abcdef"]

    tried = [await check_value(one, one[15] * 60 + "!", account="greedy") for one in slow]
    refused = await check_value(EASY, 3, account="greedy")
    other = await check_value(EASY, 3, account="other")
    clock[0] += check_costs.WINDOW_SECONDS
    later = await check_value(EASY, 3, account="greedy")

    assert [one == checker.ALL_SPENT for one in tried] == [False, False, True, True, True, True]
    assert refused == checker.ALL_SPENT
    assert other.faults == later.faults == (((), "3 is not of type 'string'"),)
    assert len(starts) == 3  # two that were ended, and the one that answers


async def test_question_of_an_account_that_spent_nothing_goes_before_those_of_one_that_did() -> None:
    await check_value('{"pattern": "^(a+)+$"}', "a" * 60 + "!", account="greedy")
    await check_value(EASY, "", account="first")
    process = checker.process_id()
    assert process is not None
    order: list[str] = []

    async def ask(account: str) -> None:
        await check_value(EASY, 3, account=account)
        order.append(account)

    os.kill(process, signal.SIGSTOP)  # it does not answer until it is resumed
    try:
        asked = [asyncio.create_task(ask(account)) for account in ("greedy", "greedy", "greedy", "other")]
        await asyncio.sleep(0)
    finally:
        os.kill(process, signal.SIGCONT)
    await asyncio.gather(*asked)

    assert order.index("other") <= 1  # the check in progress may end first


async def test_other_requests_do_not_wait_while_a_schema_is_checked() -> None:
    await check_value(EASY, "", account="me")
    process = checker.process_id()
    assert process is not None

    os.kill(process, signal.SIGSTOP)  # it does not answer until it is resumed
    try:
        asked = asyncio.create_task(check_value(EASY, 3, account="me"))
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

    given_up = await check_value(json.dumps(many), "x" * 1_000_000, account="me")
    other = await check_value(EASY, 3, account="me")
    checker.close()  # the next process has the usual limits

    assert given_up.unusable == "takes too much memory to check"
    assert other.faults == (((), "3 is not of type 'string'"),)


async def test_process_that_was_killed_is_started_again() -> None:
    await check_value(EASY, "", account="me")
    first = checker.process_id()

    checker.close()
    again = await check_value(EASY, 3, account="me")

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
    assert says in str((await check_schema(schema, account="me")).unusable)
    assert says in str((await check_value(schema, {}, account="me")).unusable)


async def test_message_and_path_of_a_fault_have_bounds() -> None:
    name = "n" * 100_000

    (fault,) = (
        await check_value('{"additionalProperties": {"type": "string"}}', {name: ["x" * 100_000]}, account="me")
    ).faults

    assert fault[0] == ()
    assert len(fault[1]) == 300


async def test_value_that_json_cannot_store_is_reported() -> None:
    nested: Any = []
    for _ in range(5_000):
        nested = [nested]

    assert "nested too deeply" in str((await check_value("{}", nested, account="me")).unusable)
