"""What is drawn around each pair of a window: the boundary, a change of agent, nodes. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.views.screen.node import ScreenNodeView
from app.views.screen.pair import ScreenPairView


@dataclass(frozen=True, slots=True)
class Surrounded:
    """The pairs with what is shown around them. `leading` are the nodes before the first of them."""

    pairs: tuple[ScreenPairView, ...]
    leading: tuple[ScreenNodeView, ...]


def surround(
    pairs: Sequence[ScreenPairView], boundary: int | None, nodes: Iterable[ScreenNodeView], *, filtered: bool = False
) -> Surrounded:
    """Put nodes and marks at these pairs, oldest first. A pair for which nothing changes keeps its value.

    `boundary` is the position of the oldest pair that is sent, None if none is left out. `filtered`: a node is shown
    with the pair it follows only. Else one whose pair was deleted stands after the pair before that.
    """
    positions = [pair.position for pair in pairs]
    at_pair = defaultdict[int, list[ScreenNodeView]](list)
    for node in nodes:
        at = bisect_right(positions, node.after_position) - 1
        if not filtered or (at >= 0 and positions[at] == node.after_position):
            at_pair[at].append(node)
    found = list[ScreenPairView]()
    before: ScreenPairView | None = None
    for at, pair in enumerate(pairs):
        begins = before is not None and boundary is not None and before.position < boundary <= pair.position
        switched = before is not None and before.agent_id != pair.agent_id
        after = tuple(at_pair.get(at, ()))
        before = pair
        if (begins, switched, after) != (pair.begins, pair.switched, pair.nodes):
            pair = replace(pair, begins=begins, switched=switched, nodes=after)  # noqa: PLW2901 - the same pair
        found.append(pair)
    return Surrounded(tuple(found), tuple(at_pair.get(-1, ())))
