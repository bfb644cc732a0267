"""The retry policy of a conversation: whether a failed provider call is repeated, and after how many seconds.

    >>> [seconds_before(RetryPolicy.EXPONENTIAL, retried, jitter=1.0) for retried in range(4)]
    [1.0, 2.0, 4.0, None]
    >>> [seconds_before(RetryPolicy.LINEAR, retried, jitter=1.0) for retried in range(4)]
    [2.0, 2.0, 2.0, None]
    >>> seconds_before(RetryPolicy.NONE, 0, jitter=1.0) is None
    True

A conversation can change how many retries there are and how long the longest wait is:

    >>> limits = RetryLimits(max_retries=5, max_backoff_seconds=3.0)
    >>> [seconds_before(RetryPolicy.EXPONENTIAL, retried, 1.0, limits) for retried in range(6)]
    [1.0, 2.0, 3.0, 3.0, 3.0, None]

Not here: the failures that allow a retry, and a provider's `Retry-After` (`domain/run/run.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.errors import InputError

MAX_RETRIES = 3
MAX_BACKOFF = 10.0
"""Default of the longest wait before a retry with `EXPONENTIAL`, in seconds."""
LINEAR_BACKOFF = 2.0
"""The wait before each retry with `LINEAR`, in seconds."""


MOST_RETRIES = 10
"""The maximum number of retries that a conversation can have."""
LONGEST_BACKOFF = 300.0
"""The highest value that a conversation can set as the longest wait, in seconds."""
LEAST_BACKOFF = 0.1


class RetryPolicy(StrEnum):
    """The rule for the waits before retries: each twice as long as the previous wait, all equal, or no retries."""

    EXPONENTIAL = "exponential"
    LINEAR = "linear"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """How many retries a failed call has, and the longest wait before one of them, in seconds. None: the default."""

    max_retries: int | None = None
    max_backoff_seconds: float | None = None


USUAL_RETRIES = RetryLimits()


def require_retries(limits: RetryLimits) -> None:
    """Refuse limits of retries that are out of range.

    Raises:
        InputError: a limit is out of range.
    """
    if limits.max_retries is not None and not 0 <= limits.max_retries <= MOST_RETRIES:
        raise InputError("retry_limits.max_retries", f"must be a number of retries from 0 to {MOST_RETRIES}.")
    if limits.max_backoff_seconds is not None and not LEAST_BACKOFF <= limits.max_backoff_seconds <= LONGEST_BACKOFF:
        raise InputError(
            "retry_limits.max_backoff_seconds", f"must be {LEAST_BACKOFF} to {LONGEST_BACKOFF:.0f} seconds."
        )


def seconds_before(
    policy: RetryPolicy, retried: int, jitter: float, limits: RetryLimits = USUAL_RETRIES
) -> float | None:
    """Return the seconds to wait before the next retry, after `retried` retries. Return None if no retry follows.

    `jitter`, from 0 to 1, varies the wait: 0 returns half of the seconds that the policy sets, 1 returns all of them.
    """
    most = MAX_RETRIES if limits.max_retries is None else limits.max_retries
    if policy is RetryPolicy.NONE or retried >= most:
        return None
    if policy is RetryPolicy.LINEAR:
        wait = LINEAR_BACKOFF if limits.max_backoff_seconds is None else min(limits.max_backoff_seconds, LINEAR_BACKOFF)
    else:
        wait = min(MAX_BACKOFF if limits.max_backoff_seconds is None else limits.max_backoff_seconds, 2.0**retried)
    return wait * (0.5 + jitter / 2)


def describe_retries(policy: RetryPolicy, limits: RetryLimits = USUAL_RETRIES) -> str:
    """Describe the retries of a conversation for people. The defaults have an empty description.

    >>> describe_retries(RetryPolicy.LINEAR), describe_retries(RetryPolicy.EXPONENTIAL, RetryLimits(5, 30))
    ('linear retries', 'exponential retries (at most 5, longest wait 30 s)')
    """
    if policy is RetryPolicy.NONE:
        return "no retries"
    parts = [] if limits.max_retries is None else [f"at most {limits.max_retries}"]
    parts += [] if limits.max_backoff_seconds is None else [f"longest wait {limits.max_backoff_seconds:g} s"]
    if not parts:
        return "" if policy is RetryPolicy.EXPONENTIAL else f"{policy} retries"
    return f"{policy} retries ({', '.join(parts)})"
