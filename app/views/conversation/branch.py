"""Views of the tree of branches: a line for each conversation, with its forks below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.branches import Placed
from app.views.conversation.conversation import cut_opening, cut_snippet


@dataclass(frozen=True, slots=True)
class ForkPointView:
    """The last pair that a fork copied from its parent: its position there, and the beginning of its request."""

    pair_id: str
    position: int
    words: str


@dataclass(frozen=True, slots=True)
class BranchView:
    """A conversation of the tree of forks, `depth` levels below the root.

    - `title`: its title or, without one, the beginning of its first request.
    - `snippet`: the beginning of its newest request.
    - `running`: a reply is running in it.
    - `fork`: the last pair that it copied from its parent; null: it is the root of the tree, or copied no pair.
    """

    id: str
    parent_id: str | None
    depth: int
    title: str
    snippet: str
    pair_count: int
    running: bool
    fork: ForkPointView | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class BranchesView:
    """The tree of branches: all conversations that were forked from each other."""

    items: tuple[BranchView, ...]


def describe_branches(placed: Sequence[Placed]) -> BranchesView:
    """Convert a tree of branches for the HTTP API. `placed` are its conversations, each parent before its forks."""
    return BranchesView(tuple(map(_describe, placed)))


def _describe(placed: Placed) -> BranchView:
    branch, fork = placed.branch, placed.branch.fork
    return BranchView(
        id=branch.id,
        parent_id=branch.parent_id,
        depth=placed.depth,
        title=branch.title or cut_opening(branch.opening),
        snippet=cut_snippet(branch.snippet),
        pair_count=branch.pair_count,
        running=branch.running,
        fork=None if fork is None else ForkPointView(fork.pair_id, fork.position, cut_snippet(fork.words)),
        created_at=branch.created_at,
        updated_at=branch.updated_at,
    )
