"""The update rate for subscribers of a running reply: one display frame apart, or more if the event loop is late.

    throttle = Throttle()
    throttle.observe(0.002)     # the loop woke a task this late: throttle.window grows

One throttle serves all subscribers, as they share the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

FRAME_SECONDS = 0.016
MAX_SECONDS = 0.05
WEIGHT = 0.1
"""Weight of the newest observation in the running mean."""
ANSWER = 4.0
"""Factor from the loop's lateness to the growth of the window: it reaches its maximum at about 8 ms."""


@dataclass(eq=False)
class Throttle:
    """A throttle. `window` is the time between two updates, in seconds."""

    window: float = FRAME_SECONDS
    _late: float = 0.0

    def observe(self, late: float) -> None:
        """Record that the loop was this late, in seconds."""
        self._late += WEIGHT * (max(0.0, late) - self._late)
        self.window = min(MAX_SECONDS, FRAME_SECONDS + ANSWER * self._late)
