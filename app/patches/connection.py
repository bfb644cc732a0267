"""The values that one connection's browser was last sent, and their revisions.

    >>> connection = Connection("a1b2")
    >>> connection.news({"state": {"rows": ("a",)}})
    {'state': {'rows': Sent(value={'$rev': ('a1b2', 1), 'whole': ('a',)}, fast=True)}}
    >>> connection.news({"state": {"rows": ("a", "b")}})["state"]["rows"].value
    {'$rev': ('a1b2', 2), 'patch': [['#', (), [[0, 1], {'new': ('b',)}]]]}

A revision is the name of the connection and a number. The numbers of a var count up by one for as long as the
connection lasts, so a browser can tell a patch that fits from one that came twice, too late, or after a loss. Values
are kept by reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.patches.continuation import Continuation, can_continue
from app.patches.diff import diff
from app.patches.patch import Patch, Path
from app.patches.values import Kinds

_REVISION: Final = "$rev"

Delta = Mapping[str, Mapping[str, Any]]
"""New values of vars, by the name of the state and of the var."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A value as it is sent. `fast`: nothing but lasting values without NaN, so `wire` may write it by orjson."""

    value: Any
    fast: bool


class Connection:
    """One connection of one browser tab. `name` differs from the name of every other connection."""

    def __init__(self, name: str, kinds: Kinds | None = None) -> None:
        self._name = name
        self._kinds = Kinds() if kinds is None else kinds
        self._held: dict[tuple[str, str], object] = {}
        self._revisions: dict[tuple[str, str], int] = {}
        self._place: tuple[str, str, Path] | None = None  # where a text went on last
        self._places = 0

    def forget(self) -> None:
        """Send everything whole again: the browser has asked for it."""
        self._held.clear()
        self._place = None

    def news(self, delta: Delta) -> dict[str, dict[str, Sent]]:
        """Return what to send for a delta. Values that the browser has already are left out."""
        news: dict[str, dict[str, Sent]] = {}
        for state, values in delta.items():
            sent = {name: self._send((state, name), value) for name, value in values.items()}
            changed = {name: each for name, each in sent.items() if each is not None}
            if changed:
                news[state] = changed
        return news

    def continued(self, news: Mapping[str, Mapping[str, Sent]]) -> Continuation | None:
        """Return the news as a text that goes on; None if they are anything else."""
        match [(state, name, sent.value) for state, values in news.items() for name, sent in values.items()]:
            case [(state, name, {"$rev": (_, number), "patch": [["+", path, text]]})] if can_continue(number, text):
                known = self._place == (state, name, path)
                if not known:
                    self._place = state, name, path
                    self._places += 1
                return Continuation(self._name, self._places, number, text, known=known)
            case _:
                return None

    def continuation(self, var: tuple[str, str], path: Path, before: object, text: str) -> Continuation | None:
        """Return what says that a `text` was added at the `path` of a var, of which `before` was sent last.

        None: that has to be found out by comparing, or takes more words. `went_on` follows once it was sent.
        """
        if self._place != (*var, path) or self._held.get(var) is not before:
            return None
        number = self._revisions[var] + 1
        return Continuation(self._name, self._places, number, text, known=True) if can_continue(number, text) else None

    def went_on(self, var: tuple[str, str], now: object, continuation: Continuation) -> None:
        """Note that this continuation was sent, and that the browser has the value `now` by it."""
        self._held[var], self._revisions[var] = now, continuation.number

    def _send(self, var: tuple[str, str], value: Any) -> Sent | None:
        now = self._kinds.freeze(value)
        held = self._held.get(var)
        if now is None:
            self._held.pop(var, None)
            if var in self._revisions or _looks_revised(value):  # else an older patch could follow it and fit
                return Sent(self._revised(var, whole=value), fast=False)
            return Sent(value, fast=self._kinds.is_plain(value))
        change = None if held is None else diff(held, now)
        if isinstance(change, Patch):
            if not change.ops:
                return None
            sent, fresh = self._revised(var, patch=change.wire()), change.values()
        else:
            sent, fresh = self._revised(var, whole=now), now
        self._held[var] = now
        return Sent(sent, fast=self._kinds.is_finite(fresh))

    def _revised(self, var: tuple[str, str], **content: object) -> dict[str, object]:
        number = self._revisions[var] = self._revisions.get(var, 0) + 1
        return {_REVISION: (self._name, number), **content}


def _looks_revised(value: object) -> bool:
    return isinstance(value, Mapping) and _REVISION in value
