"""How often a watcher of a running reply is updated: once per display frame, less often while the event loop is late.

    pace = Pace()
    pace.observe(0.002)     # the loop woke somebody that late: pace.window grows

One pace serves all watchers, as they share the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

FRAME_SECONDS = 0.016
MAX_SECONDS = 0.05
WEIGHT = 0.1
"""Of the newest observation in the running mean."""
ANSWER = 4.0
"""How many times the loop's lateness the window grows: it is full when the loop is some 8 ms late."""


@dataclass(eq=False)
class Pace:
    """`window` is the time between two tellings, in seconds."""

    window: float = FRAME_SECONDS
    _late: float = 0.0

    def observe(self, late: float) -> None:
        """Take note that the loop was that late, in seconds."""
        self._late += WEIGHT * (max(0.0, late) - self._late)
        self.window = min(MAX_SECONDS, FRAME_SECONDS + ANSWER * self._late)
