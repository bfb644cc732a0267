"""A conversation of a person, and the comparison of its stored data with the person's record.

desk = Desk(Talk(conversation_id), tab)
compare_with_file(desk, read_talk(database, conversation_id))
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from app.domain.compare.comparisons import ComparedRun
from app.domain.conversation.lifecycle import RUNNING as SENDING_OR_AWAITING
from app.domain.conversation.lifecycle import TRANSITIONS, Lifecycle
from app.domain.conversation.marks import PairMarks
from tests.chaos.bench import OpenPage
from tests.chaos.person import RUNNING, Attempt, Said, Talk
from tests.chaos.puppet import Call
from tests.chaos.stored import Stored


@dataclass
class Side:
    """One of the compared replies. `call` is the provider's side of it."""

    run: ComparedRun
    attempt: Attempt
    call: Call

    @property
    def runs(self) -> bool:
        return self.attempt.stands == RUNNING


@dataclass
class Compared:
    """Compared replies: to a new request, or to that of the pair `again`; then the pairs `gone` are deleted with it."""

    sides: list[Side] = field(default_factory=list[Side])
    again: Said | None = None
    gone: list[Said] = field(default_factory=list[Said])


class Desk:
    """A conversation, the page that shows it, and its open calls.

    `call` is the provider's side of the running reply, None while its next attempt waits. `compared` are the compared
    replies, `discarded` the discarded ones, the newest last.
    """

    def __init__(self, talk: Talk, tab: OpenPage) -> None:
        self.talk = talk
        self.tab = tab
        self.before: Stored | None = None
        self.undo: list[tuple[PairMarks, ...]] = []
        self.run_id = ""
        self.call: Call | None = None
        self.retries = 0
        self.sent: dict[str, bytes] = {}
        self.unkept: set[str] = set()
        self.looked_at = 0
        self.compared = Compared()
        self.discarded: list[Compared] = []

    @property
    def sides(self) -> list[Side]:
        """Return the replies that are compared."""
        return self.compared.sides


_BY_ITSELF = {
    lifecycle: {to for (origin, _), to in TRANSITIONS.items() if origin is lifecycle}
    if lifecycle in SENDING_OR_AWAITING
    else set[Lifecycle]()
    for lifecycle in Lifecycle
}
"""Lifecycles that can follow a lifecycle within the same run: a run never starts again."""


def compare_with_file(desk: Desk, stored: Stored) -> None:
    """Require that the stored data equals the person's record, and that no total fell."""
    talk, before = desk.talk, desk.before
    assert stored.pairs == [as_stored(pair, found) for pair, found in zip(talk.pairs, stored.pairs, strict=True)]
    assert stored.nodes == talk.nodes
    assert (stored.waiting, stored.held) == (talk.waiting, talk.held)
    assert len(set(stored.calls)) == len(stored.calls)
    if talk.running is None:
        assert (len(stored.calls), stored.spent) == (talk.calls, talk.spent)
    if before is not None:
        assert set(before.calls) <= set(stored.calls)
        assert before.spent.read <= stored.spent.read
        assert before.spent.written <= stored.spent.written
        assert all(is_legal(before, stored, pair) for pair in before.pairs)
    for run_id, body in stored.snapshots.items():
        assert desk.sent.get(run_id, body) == body, "a snapshot is not what was sent"
    for pair in talk.pairs:
        run_id = stored.run_ids[pair.id]
        if pair.now.error and pair.standing == len(pair.versions) and run_id in desk.sent.keys() - desk.unkept:
            assert run_id in stored.snapshots, "a failed request was not kept"
    desk.before = stored


def as_stored(pair: Said, found: Said) -> Said:
    """Return a pair as it must be stored. The last seconds of a running reply may be missing."""
    if pair.now.stands != RUNNING or not pair.now.replied.startswith(found.now.replied):
        return pair
    versions = list(pair.versions)
    versions[pair.standing - 1] = replace(pair.now, replied=found.now.replied)
    return replace(pair, versions=versions)


def choose(pairs: list[Said], which: set[int]) -> list[Said]:
    """Choose pairs by their indexes, modulo the number of pairs."""
    places = {place % len(pairs) for place in which}
    return [pair for place, pair in enumerate(pairs) if place in places]


def is_legal(before: Stored, after: Stored, pair: Said) -> bool:
    """Return whether the table of transitions allows the change of a pair's lifecycle."""
    was, is_now = Lifecycle(before.lifecycles[pair.id]), Lifecycle(after.lifecycles[pair.id])
    if before.run_ids[pair.id] == after.run_ids[pair.id]:
        ways = {was} | _BY_ITSELF[was]
        return is_now in ways | {to for way in ways for to in _BY_ITSELF[way]}
    return was not in SENDING_OR_AWAITING and is_now is not Lifecycle.IDLE


def look_of(pair: Said) -> tuple[object, ...]:
    now = pair.now
    stands = RUNNING if now.stands == RUNNING else str(now.stands)
    return (pair.id, pair.position, now.asked, now.replied, stands, now.error, pair.standing, len(pair.versions))


def look_of_shown(pair: dict[str, Any]) -> tuple[object, ...]:
    lifecycle = pair["lifecycle"]
    stands = RUNNING if lifecycle in SENDING_OR_AWAITING else lifecycle
    replied = "".join(part["text"] for part in pair["parts"])
    error = None if pair["error"] is None else pair["error"]["error_class"]
    number, count = pair["version"], pair["versions"]
    return (pair["id"], pair["position"], pair["user_text"], replied, stands, error, number, count)
