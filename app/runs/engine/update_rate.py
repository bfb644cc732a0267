"""The update rate of a running reply on a page: once per display frame, or less often if the event loop is late.

    throttle = Throttle()
    throttle.observe(0.002)     # the loop woke a task this late: throttle.window (the minimum time) grows

One throttle serves all subscribers, because they share the event loop.
"""

from __future__ import annotations

from dataclasses import dataclass

FRAME_SECONDS = 0.016
MAX_SECONDS = 0.05
WEIGHT = 0.1
"""Weight of the newest delay in the running mean of the event loop's delays, from 0 to 1."""
ANSWER = 4.0
"""Seconds that are added to the time between two updates for each second that the event loop is late.

When the loop is about 8 ms late, the time between two updates reaches its maximum (`MAX_SECONDS`).
"""


@dataclass(eq=False)
class Throttle:
    """The minimum time between two updates of a reply on a page, which adapts to the load: `window`, in seconds."""

    window: float = FRAME_SECONDS
    _late: float = 0.0

    def observe(self, late: float) -> None:
        """Record that the event loop woke a task `late` seconds late."""
        self._late += WEIGHT * (max(0.0, late) - self._late)
        self.window = min(MAX_SECONDS, FRAME_SECONDS + ANSWER * self._late)
