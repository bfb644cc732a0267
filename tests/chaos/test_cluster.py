"""The judge of a cluster in trouble finds what it looks for; and, in a long run, nothing."""

from __future__ import annotations

import pytest

from tests.bench.script import script_of
from tests.chaos.cluster import MODEL, Found, judge, run
from tests.cluster import find_missing
from tests.seeds import IS_LONG, choose_seed

WHOLE = script_of(MODEL).text
SUCCEEDED = Found("succeeded", WHOLE, 1, 1)
STOPPED = Found("error", WHOLE[:40], 1, 1)


def test_what_is_as_it_should_be_is_no_fault() -> None:
    stored = {"a": [SUCCEEDED], "b": [STOPPED], "never called": [Found("error", "", 1, 1)]}

    assert judge(stored, ["a", "b"], {"a": 1, "b": 1}) == []


@pytest.mark.parametrize(
    ("stored", "called", "fault"),
    [
        ({}, {}, "'a' was taken and is stored nowhere"),
        ({"a": [SUCCEEDED] * 2}, {"a": 1}, "'a' is stored 2 times"),
        ({"a": [SUCCEEDED]}, {"a": 2}, "the provider was called 2 times for 'a'"),
        ({"a": [SUCCEEDED]}, {"a": 1, "b": 1}, "the provider was called for 'b', which is stored nowhere"),
        ({"a": [Found("awaiting", "", 1, 1)]}, {"a": 1}, "'a': it is awaiting for ever"),
        ({"a": [Found("succeeded", WHOLE[:-1], 1, 1)]}, {"a": 1}, "'a': it succeeded with"),
        ({"a": [Found("error", WHOLE[:40] + WHOLE[20:40], 1, 1)]}, {"a": 1}, "'a': its reply is none"),
        ({"a": [Found("error", "", 0, 0)]}, {"a": 1}, "'a': 1 calls were made, 0 recorded"),
        ({"a": [Found("succeeded", WHOLE, 2, 2)]}, {"a": 1}, "'a': 2 calls are recorded"),
        ({"a": [Found("succeeded", WHOLE, 1, 0)]}, {"a": 1}, "'a': 1 calls are recorded, 0 in the ledger"),
        ({"a": [Found("succeeded", WHOLE, 1, 2)]}, {"a": 1}, "'a': 1 calls are recorded, 2 in the ledger"),
    ],
)
def test_each_fault_is_found(stored: dict[str, list[Found]], called: dict[str, int], fault: str) -> None:
    assert any(found.startswith(fault) for found in judge(stored, ["a"], called))


@pytest.mark.slow
@pytest.mark.skipif(not IS_LONG, reason="Three processes in trouble for minutes: make test-long.")
@pytest.mark.skipif(bool(find_missing()), reason=f"Not installed: {', '.join(find_missing())}.")
@pytest.mark.timeout(600)
async def test_a_cluster_in_trouble_loses_and_doubles_nothing() -> None:
    numbers, faults = await run(streams=40, seconds=120, seed=choose_seed("CHAOS_SEED"))

    assert faults == []
    assert numbers["processes killed"] > 5
    assert numbers["processes cut off"] == 1
