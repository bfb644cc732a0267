"""Branches: conversations that were forked from each other, as one tree; and the titles of forks.

    [(placed.branch.title, placed.depth) for placed in order_branches(branches)]
    # [("Plans", 0), ("Fork of Plans", 1)]

Not here: the pairs of a fork (`runs/conversation/forks.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

MAX_TITLE = 300

_PREFIX = re.compile(r"Fork(?: \d+)? of ")


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """The last pair of the parent that a fork copied, and its position in the parent.

    `words` is the beginning of the pair's request.
    """

    pair_id: str
    position: int
    words: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: a conversation in the tree of forks.

    - `opening`, `snippet`: the beginnings of its oldest and its newest request.
    - `parent_id`: the conversation that it was forked from; None if it is no fork, or if the parent no longer exists.
    - `fork`: where it was forked; None if it is no fork, or if it copied no pair.
    - `running`: a reply is running in it.
    """

    id: str
    parent_id: str | None
    title: str
    opening: str
    snippet: str
    pair_count: int
    running: bool
    fork: ForkPoint | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Placed:
    """A branch with its depth in the tree, from 0."""

    branch: Branch
    depth: int


def order_branches(branches: Iterable[Branch]) -> tuple[Placed, ...]:
    """Sort the branches, so that each parent comes before its forks.

    Forks are sorted by the position in the parent where they begin, then by their time of creation.
    """
    in_order = sorted(branches, key=_place)
    known = {branch.id for branch in in_order}
    children: defaultdict[str | None, list[Branch]] = defaultdict(list)
    for branch in in_order:
        children[branch.parent_id if branch.parent_id in known else None].append(branch)
    placed: dict[str, Placed] = {}
    # Branches that cannot be reached from a root form cycles, which only a file edited by hand can contain. The oldest
    # branch of a cycle becomes a root.
    for root in (*children[None], *in_order):
        waiting = [Placed(root, 0)]
        while waiting:
            one = waiting.pop()
            if one.branch.id in placed:
                continue
            placed[one.branch.id] = one
            waiting += [Placed(child, one.depth + 1) for child in reversed(children[one.branch.id])]
    return tuple(placed.values())


def name_fork(name: str, taken: Collection[str]) -> str:
    """Return a title for a fork of the conversation `name`. No other branch has this title.

    >>> name_fork("Plans", []), name_fork("Fork of Plans", ["Fork of Plans"])
    ('Fork of Plans', 'Fork 2 of Plans')
    """
    origin = _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name
    number, title = 1, _write_title("Fork", origin)
    while title in taken:
        number += 1
        title = _write_title(f"Fork {number}", origin)
    return title


def _write_title(what: str, origin: str) -> str:
    return f"{what} of {origin}"[:MAX_TITLE] if origin else what


def _place(branch: Branch) -> tuple[int, datetime, str]:
    return 0 if branch.fork is None else branch.fork.position, branch.created_at, branch.id
