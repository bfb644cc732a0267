"""The ids in a file to be imported: each may be used only once.

>>> ids = Ids()
>>> ids.take("a", "$.pairs[0].id")
'a'
"""

from __future__ import annotations

from app.runs.runtime.ids import new_id
from app.runs.transfer.import_scan import FaultError


class Ids:
    """The ids of an import file's objects: `seen` are in the file, `made` were generated for objects without an id."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.made: list[str] = []

    def take(self, given: str | None, place: str) -> str:
        if given is None:
            self.made.append(new_id())
            return self.made[-1]
        if given in self.seen:
            raise FaultError(place, f"{given!r} is already the id of something else in this file.")
        self.seen.add(given)
        return given
