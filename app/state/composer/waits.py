"""The wait after a send that a rate limit refused: the page counts it down, and enables Send at its end."""

from __future__ import annotations

from datetime import datetime, timedelta

from app.domain.errors import InviewError
from app.domain.settings.rate_limits import SENDS_SECONDS, RateLimitedError, describe_wait
from app.state.composer.views import SendWaitView


def plan_wait(error: InviewError, at: datetime) -> SendWaitView | None:
    """Return the wait that this error asks for, None for another error.

    Also None for a longer wait than that of a limit per minute: its message names the hours, and Send stays enabled,
    because the limit of tokens per day can be raised meanwhile.
    """
    if not isinstance(error, RateLimitedError) or error.wait > SENDS_SECONDS:
        return None
    until = at + timedelta(seconds=error.wait)
    return SendWaitView(error.reason, describe_wait(error.wait), until.isoformat(), at.isoformat())
