"""The ids that stand in a file to be imported.

>>> ids = Ids()
>>> ids.take("a", "$.pairs[0].id")
'a'
"""

from __future__ import annotations

from app.runs.ids import new_id
from app.runs.import_file import FaultError


class Ids:
    """The ids of a file: each stands for one thing. What has none gets one."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def take(self, given: str | None, place: str) -> str:
        if given is None:
            return new_id()
        if given in self._seen:
            raise FaultError(place, f"{given!r} stands for something else in this file already.")
        self._seen.add(given)
        return given
