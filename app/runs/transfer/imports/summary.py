"""What is found in a file that is imported: counted as it is read, and told as fields of an `ImportView`.

    summary = Summary()
    fresh = summary.add(found)      # the conversations that have not come before
    view = replace(view, **summary.told())

Not here: reading the file (`foreign/reader.py`) and storing what is in it (`staging.py`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from app.domain.transfer.tree import arrange
from app.runs.transfer.foreign.reader import Found, Unread
from app.runs.transfer.imports.storing import ImportedOne
from app.store.organise.imports import Imported
from app.views.imports import BroughtView, ImportFaultView, LeftOutView

MAX_TITLES: Final = 12
MAX_FAULTS: Final = 50
MAX_BROUGHT: Final = 20


@dataclass(eq=False)
class Tally:
    """What was found so far."""

    lacking: Counter[str] = field(default_factory=Counter[str])
    faults: list[ImportFaultView] = field(default_factory=list[ImportFaultView])
    fault_count: int = 0
    brought: list[BroughtView] = field(default_factory=list[BroughtView])
    brought_count: int = 0
    brought_pairs: int = 0

    def fault(self, name: str, reason: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(ImportFaultView(name[:200], reason))

    def bring(self, made: tuple[ImportedOne, ...]) -> None:
        for one in made:
            self.brought_count += 1
            self.brought_pairs += one.pair_count
            if len(self.brought) < MAX_BROUGHT:
                self.brought.append(BroughtView(one.id, one.title, one.pair_count))

    def told(self) -> dict[str, Any]:
        return {
            "faults": tuple(self.faults),
            "fault_count": self.fault_count,
            "left_out": tuple(LeftOutView(what, count) for what, count in self.lacking.most_common() if count),
            "brought": tuple(self.brought),
            "brought_count": self.brought_count,
            "brought_pairs": self.brought_pairs,
        }


@dataclass(eq=False)
class Summary:
    """What a file would bring, as far as it was read."""

    format: str = ""
    count: int = 0
    pairs: int = 0
    known: int = 0
    changed: int = 0
    kept: int = 0
    first: datetime | None = None
    last: datetime | None = None
    titles: list[str] = field(default_factory=list[str])
    tally: Tally = field(default_factory=Tally)
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def add(self, some: list[Found | Unread]) -> list[Found]:
        """Count these conversations; those of them that have not come before."""
        fresh: list[Found] = []
        for one in some:
            if isinstance(one, Unread):
                self.tally.fault(one.name, one.reason)
                continue
            if (key := (one.format.key, one.foreign_id)) in self.seen:
                continue
            self.seen.add(key)
            conversation = one.conversation
            self.format = self.format or one.format.key
            self.count += 1
            self.pairs += len(arrange(conversation).main)
            self.tally.lacking.update(conversation.lacking)
            self.note(conversation.title, conversation.created_at, conversation.updated_at)
            fresh.append(one)
        return fresh

    def note(self, title: str, first: datetime | None, last: datetime | None) -> None:
        if len(self.titles) < MAX_TITLES:
            self.titles.append(title)
        self.first = min(filter(None, (self.first, first)), default=None)
        self.last = max(filter(None, (self.last, last)), default=None)

    def compare(self, known: Imported | None, digest: str) -> None:
        """Count a conversation that is here already."""
        if known is None:
            return
        if known.digest == digest:
            self.known += 1
        elif known.untouched:
            self.changed += 1
        else:
            self.kept += 1

    def told(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "conversations": self.count,
            "pairs": self.pairs,
            "known": self.known,
            "changed": self.changed,
            "kept": self.kept,
            "first_at": self.first,
            "last_at": self.last,
            "titles": tuple(self.titles),
            **self.tally.told(),
        }
