"""Time limits of a stream: for the whole stream, and for the time without content.

    patience = Patience(target, timeouts)
    response = await patience.wait(opening)        # each wait for the network ends at the time limit
    patience.note(len(chunk), events)              # only content extends the time
    patience.end()                                 # after the last wait

One timer serves a whole stream: a timer for each chunk would take a tenth of the work of reading it.

Content is everything that counts towards the size of a reply, which is also limited (`domain/run/reply_size.py`).
Comments, empty deltas and usage reports are not content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from app.domain.errors import ErrorClass, Failure, ProviderError, failure
from app.domain.run.reply_size import measure_event
from app.domain.stream.stream_events import StreamEvent
from app.providers.base import CallTarget, Timeouts
from app.providers.wire.sse import MAX_EVENT_BYTES

_T = TypeVar("_T")
MAX_EMPTY_BYTES: Final = 2 * MAX_EVENT_BYTES
"""Maximum consecutive bytes without content: twice the size of the largest event."""


class Patience:
    """The time limits of one stream, which count from the creation of this object.

    - `_waiting`: the task that waits for the network now.
    - `_timer`: fires at the time limit, or earlier if the limit has been extended since.
    - `_is_over`: the wait was cancelled because of the limit.
    """

    def __init__(self, target: CallTarget, timeouts: Timeouts) -> None:
        self._target = target
        self._timeouts = timeouts
        self._now = asyncio.get_running_loop().time
        self._end = self._now() + timeouts.whole
        self._due = 0.0
        self._empty_bytes = 0
        self._waiting: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_over = False
        self._renew()

    async def wait(self, what: Awaitable[_T]) -> _T:
        """Await `what`, and return its result, which must arrive within the remaining time.

        Raises:
            ProviderError: the time limit is exceeded.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("Only a task can wait.")
        before = task.cancelling()
        self._waiting = task
        if self._timer is None:
            self._set_timer()
        try:
            return await what
        except asyncio.CancelledError:
            # As in asyncio.timeout: a task that was also cancelled from elsewhere stays cancelled.
            if self._is_over and task.cancelling() - 1 <= before:
                raise ProviderError(self._describe()) from None
            raise
        finally:
            self._waiting = None
            if self._is_over:
                self._is_over = False
                task.uncancel()

    def end(self) -> None:
        """Stop the timer, because the stream is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def note(self, size: int, events: Sequence[StreamEvent]) -> None:
        """Count `size` received bytes and their events.

        Raises:
            ProviderError: too many bytes came without content, or the time limit is exceeded.
        """
        self._empty_bytes += size
        if any(measure_event(event) for event in events):
            self._renew()
        elif self._empty_bytes > MAX_EMPTY_BYTES:
            message = (
                f"{self._target} sent {self._empty_bytes:,} bytes without any of the reply, so Inview closed the "
                "connection."
            )
            raise ProviderError(failure(ErrorClass.STREAM, message))
        if self._now() >= self._due:  # `wait` never times out if bytes are always available
            raise ProviderError(self._describe())

    def _set_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_at(self._due, self._ring)

    def _ring(self) -> None:
        """End the wait at the time limit. If nothing waits now, the next wait sets the timer again."""
        self._timer = None
        if self._waiting is None:
            return
        if self._now() < self._due:
            self._set_timer()
        else:
            self._is_over = True
            self._waiting.cancel()

    def _renew(self) -> None:
        self._due = min(self._end, self._now() + self._timeouts.content)
        self._empty_bytes = 0

    def _describe(self) -> Failure:
        if self._now() < self._end:
            message = (
                f"{self._target} sent nothing of the reply for {self._timeouts.content:g} seconds, so Inview "
                "closed the connection."
            )
            return failure(ErrorClass.STREAM, message)
        message = (
            f"{self._target} did not complete the reply within {self._timeouts.whole:g} seconds, so Inview closed "
            "the connection."
        )
        next_step = "The received part is saved. Ask for a shorter reply, or raise INVIEW_MAX_CALL_SECONDS."
        return replace(failure(ErrorClass.TOO_LONG, message), next_step=next_step)
