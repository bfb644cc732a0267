"""Rate limits and attempts to sign in of all processes: no more pass than in one, also while Redis is away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.domain.people.people import Device
from app.runs.cluster.cluster import Cluster
from app.runs.people import sessions
from app.runs.people.rate_limits import RateLimits
from app.runs.people.sessions import Credentials, WrongPasswordError, sign_in, throttled
from app.runs.people.throttle import MAX_PER_ACCOUNT, Throttle, TooManyAttemptsError
from app.runs.status import read_status
from app.runs.workbench import Workbench
from tests.redis_server import RedisServer
from tests.runs.cluster.test_shared_turns import eventually

KEYS = {"person": "ada", "address": "192.0.2.7"}


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


def cluster_of(wb: Workbench) -> Cluster:
    assert wb.cluster is not None
    return wb.cluster


def limits_of(benches: Sequence[Workbench], **policies: str) -> list[RateLimits]:
    return [RateLimits(policies, cluster_of(one)) for one in benches]


async def passes(limits: RateLimits) -> bool:
    return not any(one.exceeded for one in await limits.count(KEYS))


async def attempt(email: str, address: str = "192.0.2.7") -> bool:
    """Fail to sign in through the process that opened last. False: it was not even tried."""
    try:
        with pytest.raises(WrongPasswordError):
            async with throttled(email, address):
                raise WrongPasswordError
    except TooManyAttemptsError:
        return False
    return True


async def away(wb: Workbench) -> None:
    await eventually(lambda: not cluster_of(wb).reached, 10)


async def test_requests_of_all_processes_count_together(wb: Workbench, far: Workbench) -> None:
    near, other = limits_of((wb, far), person="7/hour")

    passed = [await passes(limits) for _ in range(5) for limits in (near, other)]

    assert passed == [True] * 7 + [False] * 3


async def test_requests_at_once_through_two_processes_are_no_more_than_through_one(
    wb: Workbench, far: Workbench
) -> None:
    near, other = limits_of((wb, far), person="20/hour")

    passed = await asyncio.gather(*(passes(limits) for _ in range(30) for limits in (near, other)))

    assert sum(passed) == 20


async def test_headers_say_what_is_left_over_all_processes(wb: Workbench, far: Workbench) -> None:
    near, other = limits_of((wb, far), person="7/hour", address="3/minute")
    await near.count(KEYS)
    await near.count(KEYS)

    of_person, of_address = await other.count(KEYS)

    assert (of_person.most, of_person.left, of_person.window) == (7, 4, 3600)
    assert (of_address.most, of_address.left, of_address.window) == (3, 0, 60)
    assert 3590 <= of_person.reset <= 3600
    assert 50 <= of_address.reset <= 60
    refused = (await near.count(KEYS))[-1]
    assert (refused.policy, refused.exceeded, refused.left) == ("address", True, 0)


async def test_without_redis_requests_are_limited_by_what_this_process_has_counted(
    wb: Workbench, far: Workbench, redis: RedisServer
) -> None:
    near, other = limits_of((wb, far), person="4/hour")
    assert [await passes(near) for _ in range(3)] == [True] * 3

    redis.kill()

    assert [await passes(near) for _ in range(2)] == [True, False]  # three were counted here before
    await away(wb)
    assert [await passes(other) for _ in range(5)] == [True] * 4 + [False]
    redis.start()
    await eventually(lambda: cluster_of(wb).reached and cluster_of(far).reached, 10)
    assert [await passes(limits) for limits in (near, other) for _ in range(3)] == [True] * 4 + [False] * 2


async def test_what_redis_refused_is_not_counted_by_the_process(
    wb: Workbench, far: Workbench, redis: RedisServer
) -> None:
    near, other = limits_of((wb, far), person="2/hour")
    assert [await passes(near) for _ in range(2)] == [True] * 2
    assert [await passes(other) for _ in range(3)] == [False] * 3

    redis.kill()

    assert await passes(other)


async def test_attempts_of_all_processes_count_together(wb: Workbench, far: Workbench) -> None:
    names = {"account ada": 3, "address 192.0.2.7": 5}
    near, other = cluster_of(wb).attempts, cluster_of(far).attempts

    begun = await asyncio.gather(*(one.begin(names, 60) for _ in range(4) for one in (near, other)))
    counted = [one for one in begun if one is not None]
    assert len(counted) == 3
    await other.take_back(counted[0])

    assert await near.begin(names, 60) is not None
    assert await near.begin(names, 60) is None
    assert await near.begin({"account ben": 3, "address 192.0.2.7": 5}, 60) is not None
    assert await near.begin({"account ben": 3, "address 192.0.2.7": 5}, 60) is not None
    assert await near.begin({"account cyd": 3, "address 192.0.2.7": 5}, 60) is None, "the address has failed five times"


async def test_attempts_are_forgotten_after_their_time(wb: Workbench) -> None:
    attempts = cluster_of(wb).attempts
    assert await attempts.begin({"account ada": 1}, 0.2) is not None
    assert await attempts.begin({"account ada": 1}, 0.2) is None

    await asyncio.sleep(0.25)

    assert await attempts.begin({"account ada": 1}, 0.2) is not None


async def test_attempts_that_failed_in_another_process_end_those_of_this_one(
    wb: Workbench, far: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all([await attempt("ada@example.org") for _ in range(MAX_PER_ACCOUNT)])
    monkeypatch.setattr(sessions, "_throttle", Throttle())  # as another process has it

    assert not await attempt("ada@example.org")
    assert await attempt("ben@example.org")
    with pytest.raises(TooManyAttemptsError):
        await sign_in(far, Credentials("ada@example.org", "whatever it is"), Device("", "192.0.2.7"))


async def test_attempts_that_succeed_do_not_count(wb: Workbench) -> None:
    for _ in range(MAX_PER_ACCOUNT + 2):
        async with throttled("ada@example.org", "192.0.2.7"):
            pass


async def test_without_redis_attempts_are_limited_by_what_this_process_has_counted(
    wb: Workbench, redis: RedisServer
) -> None:
    assert await attempt("ada@example.org")
    redis.kill()

    passed = [await attempt("ada@example.org") for _ in range(MAX_PER_ACCOUNT)]

    assert passed == [True] * (MAX_PER_ACCOUNT - 1) + [False]
    await away(wb)
    assert not await attempt("ada@example.org")
    redis.start()
    await eventually(lambda: cluster_of(wb).reached, 10)
    assert await attempt("ben@example.org")


async def test_the_status_says_whether_redis_answers(wb: Workbench, redis: RedisServer) -> None:
    assert (await read_status(wb, "local")).redis is True

    redis.kill()
    await away(wb)

    assert (await read_status(wb, "local")).redis is False
