"""The lines between pairs on a page: above the first pair that is sent, and above a pair with another agent. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.views.reply.pair import ScreenPairView


def mark_boundaries(pairs: Sequence[ScreenPairView], boundary: int | None) -> tuple[ScreenPairView, ...]:
    """Return these pairs with the fields `begins` and `switched` set. The page draws a line if one of these is true.

    - `begins`: the pair is the first one that is sent, after pairs that are not sent.
    - `switched`: its agent differs from the agent of the previous pair.

    `pairs` are sorted, oldest first. A pair whose two fields do not change is returned as the same object. `boundary`
    is the position of the oldest pair that is sent; None if no pair is left out.
    """
    found = list[ScreenPairView]()
    before: ScreenPairView | None = None
    for pair in pairs:
        begins = before is not None and boundary is not None and before.position < boundary <= pair.position
        switched = before is not None and before.agent_id != pair.agent_id
        before = pair
        is_changed = (begins, switched) != (pair.begins, pair.switched)
        found.append(replace(pair, begins=begins, switched=switched) if is_changed else pair)
    return tuple(found)
