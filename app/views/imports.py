"""An import as shown to people and programs: its progress, what it will bring, and what it brought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final


class ImportStatus(StrEnum):
    """Where an import is. `ready`: read, and nothing is stored yet."""

    RECEIVING = "receiving"
    READING = "reading"
    READY = "ready"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


MOVING: Final = frozenset({ImportStatus.RECEIVING, ImportStatus.READING, ImportStatus.IMPORTING})
"""A process is at work on it."""


@dataclass(frozen=True, slots=True)
class ImportFaultView:
    """A conversation that cannot be taken, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOutView:
    """What is left out of conversations that are taken, and how many of it."""

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class BroughtView:
    """A conversation that is here now."""

    id: str
    title: str
    pair_count: int


@dataclass(frozen=True, slots=True)
class ImportView:
    """An import. `format` is the application that wrote the file ("" before it was read), `message` why it failed.

    `done` of `total` bytes are received or read, or conversations stored. Of the `conversations` in the file, `known`
    are here already and unchanged; `changed` have changed there since, and are brought anew; `kept` were changed here
    too, and stay as they are. `titles` are the first ones, `faults` the first of `fault_count`, `brought` the first of
    `brought_count`.
    """

    id: str
    file_name: str = ""
    format: str = ""
    status: ImportStatus = ImportStatus.RECEIVING
    message: str = ""
    done: int = 0
    total: int = 0
    conversations: int = 0
    pairs: int = 0
    known: int = 0
    changed: int = 0
    kept: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    titles: tuple[str, ...] = ()
    faults: tuple[ImportFaultView, ...] = ()
    fault_count: int = 0
    left_out: tuple[LeftOutView, ...] = ()
    brought: tuple[BroughtView, ...] = ()
    brought_count: int = 0
    brought_pairs: int = 0
