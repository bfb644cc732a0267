"""The values that were last sent to the browser of one connection, and their revisions.

    >>> connection = Connection("a1b2")
    >>> connection.news({"state": {"rows": ("a",)}})
    {'state': {'rows': SentValue(value={'$rev': ('a1b2', 1), 'whole': ('a',)}, fast=True)}}
    >>> connection.news({"state": {"rows": ("a", "b")}})["state"]["rows"].value
    {'$rev': ('a1b2', 2), 'patch': [['#', (), [[0, 1], {'new': ('b',)}]]]}

A revision is the name of the connection and a number. The number of a var increases by one with each value that is sent
in the connection, so a browser recognizes a patch that came twice, too late, or after a loss. The sent values are
kept by reference, not copied.

Text that is added to the same text again and again is sent without names: docs/decisions/0096.

    >>> connection = Connection("a1b2", reads_added=True)
    >>> connection.news({"state": {"rows": ("a",)}}) and connection.append("state", "rows", ("ab",))
    SentValue(value={'$rev': ('a1b2', 2), 'place': 1, 'patch': [['+', (0,), 'b']]}, fast=True)
    >>> connection.append("state", "rows", ("abc",))
    AddedText(place=1, number=3, text='c')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.patches.diff import diff
from app.patches.patch import Append, Patch, ValuePath
from app.patches.values import Kinds
from app.patches.wire import has_utf8

_REVISION: Final = "$rev"

Delta = Mapping[str, Mapping[str, Any]]
"""New values of vars, by the name of the state and then by the name of the var."""
IsShared = Callable[[str, str], bool]
"""A function that takes the name of a state and the name of a var, as they are in a delta."""


def _no_var(_state: str, _name: str) -> bool:
    return False


_NOTHING: Final = object()
_SAME: Final = Patch(())


@dataclass(frozen=True, slots=True)
class SentValue:
    """A value to send.

    `fast`: it is immutable and has neither NaN nor an infinity, so `wire.py` may encode it with orjson.
    """

    value: Any
    fast: bool


@dataclass(frozen=True, slots=True)
class AddedText:
    """A text to add at a place that the browser knows: the var and the path of the patch that had this `place`.

    `number` is that of the var's new revision.
    """

    place: int
    number: int
    text: str


class Connection:
    """The connection of one browser tab, with the values last sent to it. Each connection has a different `name`.

    - `is_shared`: returns True for a var that the browser itself may change, such as one in its storage. An equal value
      of such a var is sent again.
    - `reads_added`: the browser understands `AddedText`.
    """

    def __init__(
        self, name: str, kinds: Kinds | None = None, is_shared: IsShared = _no_var, *, reads_added: bool = False
    ) -> None:
        self._name = name
        self._kinds = Kinds() if kinds is None else kinds
        self._is_shared = is_shared
        self._held: dict[tuple[str, str], object] = {}
        self._revisions: dict[tuple[str, str], int] = {}
        self._reads_added = reads_added
        self._places = 0
        self._place: tuple[tuple[str, str], ValuePath] | None = None  # the newest place, whose number is `_places`

    def forget(self) -> None:
        """Forget the values and the place that were sent, so that each var is sent whole the next time."""
        self._held.clear()
        self._place = None

    def news(self, delta: Delta) -> dict[str, dict[str, SentValue]]:
        """Return the data to send for a delta (changed vars by state): a patch or a whole value for each var.

        Values that the browser already has are left out.
        """
        news: dict[str, dict[str, SentValue]] = {}
        for state, values in delta.items():
            sent = {name: self._send((state, name), value) for name, value in values.items()}
            changed = {name: each for name, each in sent.items() if each is not None}
            if changed:
                news[state] = changed
        return news

    def append(self, state: str, name: str, value: object) -> SentValue | AddedText | None:
        """Return the patch for a value that differs from the sent one only in text that was added to its texts.

        If text was added at the same place the last time, return only the text.

        Return None if the value differs in more than added text, or does not differ, or if the browser has no value of
        the var. Then send nothing.
        """
        var = state, name
        now, held = self._kinds.freeze(value), self._held.get(var, _NOTHING)
        change = None if now is None or held is _NOTHING else diff(held, now)
        ops = change.ops if isinstance(change, Patch) else ()
        added = [op for op in ops if isinstance(op, Append)]
        if not added or len(added) < len(ops):
            return None
        self._held[var] = now
        first, *others = added
        place = var, first.path
        if place == self._place and not others and has_utf8(first.text):
            return AddedText(self._places, self._count(var), first.text)
        patch = [op.wire() for op in added]
        if others or not self._reads_added:
            return SentValue(self._revised(var, patch=patch), fast=True)
        self._place, self._places = place, self._places + 1
        return SentValue(self._revised(var, place=self._places, patch=patch), fast=True)

    def _send(self, var: tuple[str, str], value: Any) -> SentValue | None:
        now = self._kinds.freeze(value)
        held = self._held.get(var, _NOTHING)
        if now is None:
            return self._send_whole(var, value, held)
        change = None if held is _NOTHING else diff(held, now)
        if isinstance(change, Patch):
            if not change.ops:
                return None
            sent, fresh = self._revised(var, patch=change.wire()), change.values()
        else:
            sent, fresh = self._revised(var, whole=now), now
        self._held[var] = now
        return SentValue(sent, fast=self._kinds.is_finite(fresh))

    def _send_whole(self, var: tuple[str, str], value: object, held: object) -> SentValue | None:
        """Return what to send for a value that is never sent as a patch, or None if the browser has the value."""
        if self._kinds.is_lasting(type(value)) and not self._is_shared(*var):
            if held is not _NOTHING and diff(held, value) == _SAME:
                return None
            self._held[var] = value
        else:
            self._held.pop(var, None)
        # without this, an older patch could be applied to the value
        if var in self._revisions or _looks_revised(value):
            return SentValue(self._revised(var, whole=value), fast=False)
        return SentValue(value, fast=self._kinds.is_plain(value))

    def _revised(self, var: tuple[str, str], **content: object) -> dict[str, object]:
        return {_REVISION: (self._name, self._count(var)), **content}

    def _count(self, var: tuple[str, str]) -> int:
        number = self._revisions[var] = self._revisions.get(var, 0) + 1
        return number


def _looks_revised(value: object) -> bool:
    return isinstance(value, Mapping) and _REVISION in value
