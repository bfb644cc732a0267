"""Samples of log lines, by a clock that the test moves."""

from __future__ import annotations

import asyncio

from app.patches.sampling import FIRST, MAX_CONNECTIONS, MINUTE, Sampler
from tests.runs.clock import MovedClock


async def test_of_many_lines_of_a_connection_the_first_are_written_and_then_their_number() -> None:
    lines, clock = list[str](), MovedClock()
    sampler = Sampler(lines.append, clock.sleep)

    for _ in range(33_400):
        sampler.write("a", "Refused.")
    assert lines == ["Refused."] * FIRST
    await asyncio.sleep(0)  # its minute starts
    await clock.move(MINUTE)

    assert lines[FIRST:] == ["33395 more lines like this from the same connection were left out within a minute."]


async def test_a_connection_that_does_wrong_a_few_times_is_written_whole_and_again_in_the_next_minute() -> None:
    lines, clock = list[str](), MovedClock()
    sampler = Sampler(lines.append, clock.sleep)

    for _ in range(2):
        for _ in range(FIRST):
            sampler.write("a", "Refused.")
        await asyncio.sleep(0)  # its minute starts
        await clock.move(MINUTE)

    assert lines == ["Refused."] * 2 * FIRST


async def test_each_connection_has_separate_lines_up_to_a_number_of_connections() -> None:
    lines, clock = list[str](), MovedClock()
    sampler = Sampler(lines.append, clock.sleep)

    for number in range(10 * MAX_CONNECTIONS):
        sampler.write(str(number), "Refused.")

    assert len(lines) == MAX_CONNECTIONS + FIRST
    await asyncio.sleep(0)  # its minute starts
    await clock.move(MINUTE)
    assert "from connections beyond the first" in lines[-1]
