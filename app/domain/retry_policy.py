"""The retry policy of a conversation: whether a failed provider call is repeated, and after how many seconds.

    >>> [seconds_before(RetryPolicy.EXPONENTIAL, retried, jitter=1.0) for retried in range(4)]
    [1.0, 2.0, 4.0, None]
    >>> [seconds_before(RetryPolicy.LINEAR, retried, jitter=1.0) for retried in range(4)]
    [2.0, 2.0, 2.0, None]
    >>> seconds_before(RetryPolicy.NONE, 0, jitter=1.0) is None
    True

Not here: the failures that allow a retry, and a provider's `Retry-After` (`domain/run/run.py`).
"""

from __future__ import annotations

from enum import StrEnum

MAX_RETRIES = 3
MAX_BACKOFF = 10.0
"""The longest wait between doubling retries, in seconds."""
LINEAR_BACKOFF = 2.0
"""The wait between equal retries, in seconds."""


class RetryPolicy(StrEnum):
    """The rule for the waits before retries: each twice as long as the previous wait, all equal, or no retries."""

    EXPONENTIAL = "exponential"
    LINEAR = "linear"
    NONE = "none"


def seconds_before(policy: RetryPolicy, retried: int, jitter: float) -> float | None:
    """Return the seconds to wait before the next retry, after `retried` retries. Return None if no retry follows.

    `jitter`, from 0 to 1, varies the wait: 0 returns half of the seconds that the policy sets, 1 returns all of them.
    """
    if policy is RetryPolicy.NONE or retried >= MAX_RETRIES:
        return None
    longest = LINEAR_BACKOFF if policy is RetryPolicy.LINEAR else min(MAX_BACKOFF, 2.0**retried)
    return longest * (0.5 + jitter / 2)


def describe_policy(policy: RetryPolicy) -> str:
    """Describe a policy for people."""
    return "no retries" if policy is RetryPolicy.NONE else f"{policy} retries"
