"""The retry policy of a conversation: whether to repeat a failed provider call, and after which wait.

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
"""Seconds."""
LINEAR_BACKOFF = 2.0
"""Seconds."""


class RetryPolicy(StrEnum):
    """The waits before retries: doubling, equal, or no retries."""

    EXPONENTIAL = "exponential"
    LINEAR = "linear"
    NONE = "none"


def seconds_before(policy: RetryPolicy, retried: int, jitter: float) -> float | None:
    """Return the seconds to wait after `retried` retries; None: no more. `jitter` in [0, 1] spreads the upper half."""
    if policy is RetryPolicy.NONE or retried >= MAX_RETRIES:
        return None
    longest = LINEAR_BACKOFF if policy is RetryPolicy.LINEAR else min(MAX_BACKOFF, 2.0**retried)
    return longest * (0.5 + jitter / 2)


def describe_policy(policy: RetryPolicy) -> str:
    """Describe a policy for people."""
    return "no retries" if policy is RetryPolicy.NONE else f"{policy} retries"
