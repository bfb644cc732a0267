"""The events of a run, and how they are read from a stream.

>>> reader = EventReader()
>>> [reader.read(line) for line in ["id: 4", "event: text", 'data: {"index":0,"text":"Hi"}', ""]][-1]
Event(id=4, kind='text', data={'index': 0, 'text': 'Hi'})
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

LAST_KINDS: Final = frozenset({"done", "error", "cancelled"})
"""Exactly one of these ends every run."""


@dataclass(frozen=True)
class Event:
    """`id` is the position in the run's log after it; `data` is what `docs/api.md` says of its kind."""

    id: int
    kind: str
    data: dict[str, Any]

    @property
    def text(self) -> str:
        """What it adds to the text of the reply."""
        return str(self.data["text"]) if self.kind == "text" else ""

    @property
    def is_last(self) -> bool:
        return self.kind in LAST_KINDS


@dataclass
class EventReader:
    """Takes a stream line by line, without line breaks."""

    _fields: dict[str, str] = field(default_factory=dict[str, str])

    def read(self, line: str) -> Event | None:
        """The event that this line completes, if it does."""
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None  # a comment, which keeps the stream open
        return Event(int(fields["id"]), fields["event"], json.loads(fields["data"]))
