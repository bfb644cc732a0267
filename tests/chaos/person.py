"""The record of a person who watched a whole conversation: the model with which the stored data must agree.

    talk = Talk("c1")
    talk.pairs.append(Said("p1", 1, [Attempt("Hello")]))

It has no effects. It is written from the promises to users, not from the code under test.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass
from app.domain.run.queue import HoldReason

RUNNING = "running"
"""Replaces `sending` and `awaiting`: a person cannot distinguish the two."""


class Spent(NamedTuple):
    """Tokens that a provider reported."""

    read: int = 0
    written: int = 0

    def plus(self, other: Spent) -> Spent:
        return Spent(self.read + other.read, self.written + other.written)


NOTHING = Spent()


class Node(NamedTuple):
    """An accounting node: why pairs were removed, after which position, and the usage up to then."""

    reason: RemovalReason
    after_position: int
    spent: Spent


@dataclass
class Attempt:
    """A version of a pair: request and reply, and its lifecycle or RUNNING."""

    asked: str
    replied: str = ""
    stands: str = RUNNING
    error: ErrorClass | None = None

    @property
    def sendable(self) -> bool:
        return self.stands in {Lifecycle.SUCCEEDED, Lifecycle.CANCELED} and bool(self.replied.strip())


@dataclass
class Said:
    """A pair: its versions, and the number of the current one (from 1). Pairs that were deleted together share
    `deletion`.
    """

    id: str
    position: int
    versions: list[Attempt]
    standing: int = 1
    deleted: bool = False
    deletion: int = field(default=0, compare=False)

    @property
    def now(self) -> Attempt:
        return self.versions[self.standing - 1]

    def copy(self, position: int) -> Said:
        """Return the pair as a fork has it."""
        return Said("", position, [replace(version) for version in self.versions], self.standing)


@dataclass
class Talk:
    """A conversation. `calls` counts the provider calls that ended, `spent` is the usage that they reported.

    `waiting` are the texts in its queue, `held` is the reason why the queue is held. `compared`: a comparison is open
    in it; `aside` is the usage of comparisons.
    """

    id: str
    pairs: list[Said] = field(default_factory=list[Said])
    nodes: list[Node] = field(default_factory=list[Node])
    calls: int = 0
    spent: Spent = NOTHING
    waiting: list[str] = field(default_factory=list[str])
    held: HoldReason | None = None
    compared: bool = False
    aside: Spent = NOTHING

    @property
    def shown(self) -> list[Said]:
        """Return the pairs that are not deleted."""
        return [pair for pair in self.pairs if not pair.deleted]

    @property
    def edited(self) -> list[Said]:
        """Return the pairs that are not deleted and have several versions."""
        return [pair for pair in self.shown if len(pair.versions) > 1]

    @property
    def running(self) -> Said | None:
        return next((pair for pair in self.pairs if pair.now.stands == RUNNING), None)

    def after(self, pair: Said) -> list[Said]:
        return [other for other in self.shown if other.position > pair.position]

    def above(self, pair: Said) -> list[Said]:
        return [other for other in self.shown if other.position < pair.position]

    def leave(self, reason: RemovalReason, after_position: int) -> None:
        """Record that pairs were removed from the history."""
        self.nodes.append(Node(reason, after_position, self.spent.plus(self.aside)))


def messages_of(pairs: list[Said], asked: str) -> list[dict[str, str]]:
    """Return the messages that a send with this text after these pairs must have."""
    said = [
        message
        for pair in pairs
        if pair.now.sendable
        for message in (
            {"role": "user", "content": pair.now.asked},
            {"role": "assistant", "content": pair.now.replied},
        )
    ]
    return [*said, {"role": "user", "content": asked}]
