"""Turns a tree of messages into pairs: what was shown last is current, what it replaced becomes versions.

    arranged = arrange(conversation)
    arranged.main[0].versions[arranged.main[0].standing].replies

A branch that goes on where the shown one went another way is a conversation of its own, which begins with a copy of
what both have. Trees may be as deep as a conversation is long, so nothing here calls itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.domain.conversation.parts import Text
from app.domain.transfer.foreign import ForeignConversation, ForeignMessage, Speaker

MAX_BRANCHES = 20
"""Conversations made of the branches of one."""
MAX_VERSIONS = 100
"""Of a pair."""


@dataclass(frozen=True, slots=True)
class ForeignVersion:
    """A request and what answered it. `request` None: the assistant spoke first."""

    request: ForeignMessage | None
    replies: tuple[ForeignMessage, ...]


@dataclass(frozen=True, slots=True)
class ForeignPair:
    """The versions of a pair, the oldest first, and the number of the one that stands, from 0."""

    versions: tuple[ForeignVersion, ...]
    standing: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Pairs that left the shown ones. The first `shared` of them are copies of those."""

    pairs: tuple[ForeignPair, ...]
    shared: int


@dataclass(frozen=True, slots=True)
class Arranged:
    """The pairs of a conversation, and its branches. `left_out` counts requests for which the bounds left no place."""

    main: tuple[ForeignPair, ...]
    branches: tuple[Branch, ...]
    system_prompt: str
    left_out: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """One way through a pair: its request (None: none) and the last message before the next request."""

    user: str | None
    end: str


@dataclass(eq=False)
class _Tree:
    messages: dict[str, ForeignMessage]
    children: dict[str | None, list[str]]
    parents: dict[str, str | None]
    seen: set[str] = field(default_factory=set[str])
    """Requests that have a place."""

    def path_to(self, current: str) -> list[str]:
        """From the root to this message."""
        path, here, passed = list[str](), current, set[str]()
        while here not in passed:
            path.append(here)
            passed.add(here)
            above = self.parents.get(here)
            if above is None:
                break
            here = above
        return path[::-1]

    def leaf_below(self, current: str) -> str:
        """The newest message that goes on from here."""
        passed = {current}
        while fresh := [child for child in self.children.get(current, []) if child not in passed]:
            current = fresh[-1]
            passed.add(current)
        return current

    def speaking_below(self, place: str | None) -> Iterator[str]:
        """The next messages that say something."""
        waiting = self.children.get(place, [])[::-1]
        while waiting:
            here = waiting.pop()
            if self._says(here):
                yield here
            else:
                waiting += self.children.get(here, [])[::-1]

    def turns_at(self, place: str | None) -> list[_Turn]:
        """The ways through the pair that begins below a message, in the order of the export."""
        turns: list[_Turn] = []
        # Below a message, what is no request belongs to the pair above.
        starts = [one for one in self.speaking_below(place) if place is None or self._is_user(one)]
        waiting: list[tuple[str, str | None]] = [(one, None) for one in starts[::-1]]
        while waiting:
            here, user = waiting.pop()
            if self._is_user(here):
                user = here
            below = list(self.speaking_below(here))
            goes_on = [one for one in below if not self._is_user(one)]
            if len(goes_on) < len(below) or not below:
                turns.append(_Turn(user, here))
            waiting += [(one, user) for one in goes_on[::-1]]
        return turns

    def read(self, turn: _Turn, start: str | None) -> ForeignVersion:
        """The messages of a turn that begins below `start`."""
        replies, here = list[ForeignMessage](), turn.end
        while here not in {turn.user, start}:
            if self._says(here):
                replies.append(self.messages[here])
            above = self.parents.get(here)
            if above is None:
                break
            here = above
        request = None if turn.user is None else self.messages[turn.user]
        return ForeignVersion(request, tuple(replies[::-1]))

    def _says(self, one: str) -> bool:
        message = self.messages[one]
        return message.speaker is not Speaker.SYSTEM and bool(message.parts or message.failure)

    def _is_user(self, one: str) -> bool:
        return self.messages[one].speaker is Speaker.USER

    def requests(self) -> list[str]:
        return [one for one in self.messages if self._is_user(one) and self._says(one)]


def arrange(conversation: ForeignConversation) -> Arranged:
    """The pairs of a conversation and of its branches."""
    tree = _grow(conversation)
    if not tree.messages:
        return Arranged((), (), conversation.system_prompt, 0)
    shown = conversation.current if conversation.current in tree.messages else None
    path = tree.path_to(shown or tree.leaf_below(_newest(tree)))
    main = tuple(_pairs(tree, path))
    branches: list[Branch] = []
    requests = tree.requests()
    for request in requests[::-1]:
        if request not in tree.seen and len(branches) < MAX_BRANCHES:
            pairs = tuple(_pairs(tree, tree.path_to(tree.leaf_below(request))))
            branches.append(Branch(pairs, _count_shared(main, pairs)))
    left = sum(request not in tree.seen for request in requests)
    said = [conversation.system_prompt, *(_words(tree.messages[one]) for one in path if _is_system(tree, one))]
    return Arranged(main, tuple(branches), "\n\n".join(filter(None, said)), left)


def _grow(conversation: ForeignConversation) -> _Tree:
    messages: dict[str, ForeignMessage] = {}
    for message in conversation.messages:
        messages.setdefault(message.id, message)
    children: defaultdict[str | None, list[str]] = defaultdict(list)
    parents: dict[str, str | None] = {}
    for message in messages.values():
        parent = message.parent if message.parent in messages and message.parent != message.id else None
        parents[message.id] = parent
        children[parent].append(message.id)
    _cut_circles(parents, children)
    return _Tree(messages, children, parents)


def _cut_circles(parents: dict[str, str | None], children: dict[str | None, list[str]]) -> None:
    """Make a beginning of each message that is its own ancestor, as only a damaged file can say."""
    rooted: set[str] = set()
    for start in parents:
        way: dict[str, None] = {}
        here: str | None = start
        while here is not None and here not in rooted and here not in way:
            way[here] = None
            here = parents[here]
        if here is not None and here in way:
            above = parents[here]
            children[above].remove(here)
            parents[here] = None
            children.setdefault(None, []).append(here)
        rooted.update(way)


def _pairs(tree: _Tree, path: list[str]) -> Iterator[ForeignPair]:
    """The pairs along a path, with what else was asked and answered in their places as versions."""
    rank = {one: number for number, one in enumerate(path)}
    place: str | None = None
    while True:
        turns = tree.turns_at(place)
        on_path = [one for one in turns if one.end in rank and (one.user is None or one.user in rank)]
        if not on_path:
            break
        chosen = max(on_path, key=lambda one: rank[one.end])
        others = [one for one in turns if one is chosen or not (one.user == chosen.user and one.end in rank)]
        kept = _bound(others, chosen)
        tree.seen.update(one.user for one in kept if one.user is not None)
        yield ForeignPair(tuple(tree.read(one, place) for one in kept), kept.index(chosen))
        place = chosen.end


def _bound(turns: list[_Turn], chosen: _Turn) -> list[_Turn]:
    """The chosen turn and as many of the others as there may be versions, the newest."""
    spare = max(0, len(turns) - MAX_VERSIONS)
    dropped = {id(one) for one in [one for one in turns if one is not chosen][:spare]}
    return [one for one in turns if id(one) not in dropped]


def _count_shared(main: tuple[ForeignPair, ...], pairs: tuple[ForeignPair, ...]) -> int:
    count = 0
    for one, other in zip(main, pairs, strict=False):
        if one.versions[one.standing] != other.versions[other.standing]:
            break
        count += 1
    return count


def _newest(tree: _Tree) -> str:
    last = next(reversed(tree.messages))
    timed = [(message.created_at, one) for one, message in tree.messages.items() if message.created_at is not None]
    return max(timed)[1] if timed else last


def _is_system(tree: _Tree, one: str) -> bool:
    return tree.messages[one].speaker is Speaker.SYSTEM


def _words(message: ForeignMessage) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Text))
