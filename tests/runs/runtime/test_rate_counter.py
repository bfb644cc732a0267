"""The counter of sends for the rate limits."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.domain.settings.rate_limits import RateLimitedError, RateScope
from app.runs.runtime.rate_counter import RateCounter

PLACE = (RateScope.PERSON, "local")


class Clock:
    """The time that the counter reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        monkeypatch.setattr("limits.aio.storage.memory.time", SimpleNamespace(time=lambda: self.now))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def refused(counter: RateCounter, limit: int, sends: int = 1) -> int:
    """Take sends that the limit refuses, and return the wait."""
    with pytest.raises(RateLimitedError) as caught:
        await counter.take({PLACE: limit}, sends)
    return caught.value.wait


async def test_sends_count_for_a_minute(clock: Clock) -> None:
    counter = RateCounter()
    await counter.take({PLACE: 1})
    clock.now += 59

    assert await refused(counter, 1) == 1

    clock.now += 1.5
    (quota,) = await counter.take({PLACE: 1})
    assert (quota.remaining, quota.reset) == (0, 60)


async def test_wait_is_until_all_sends_of_a_comparison_have_room(clock: Clock) -> None:
    counter = RateCounter()
    for _ in range(3):
        await counter.take({PLACE: 3})
        clock.now += 10

    assert await refused(counter, 3, sends=1) == 30
    assert await refused(counter, 3, sends=3) == 50

    clock.now += 50.5
    (quota,) = await counter.take({PLACE: 3}, 3)
    assert quota.remaining == 0


async def test_lower_limit_counts_the_sends_under_the_higher_one(clock: Clock) -> None:
    counter = RateCounter()
    for _ in range(3):
        await counter.take({PLACE: 5})
        clock.now += 10

    assert await refused(counter, 2) == 40
    (quota,) = await counter.quotas({PLACE: 2})
    assert (quota.remaining, quota.reset) == (0, 40)
    (quota,) = await counter.take({PLACE: 5})
    assert (quota.remaining, quota.reset) == (1, 30)
