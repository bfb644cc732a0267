"""What `inview doctor` finds, as values: each check is ok, a warning or a fault, and says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check came out. A server starts with warnings; with a fault it does not, or something is lost."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `advice` says what to do, "" where nothing is to be done."""

    name: str
    status: Status
    message: str
    advice: str = ""

    def describe(self) -> str:
        """One line, and a second one with the advice."""
        line = f"{self.status:<8} {self.name:<12} {self.message}"
        return f"{line}\n{'':<22}{self.advice}" if self.advice else line


def ok(name: str, message: str) -> Check:
    """Nothing is to be done."""
    return Check(name, Status.OK, message)


def warning(name: str, message: str, advice: str = "") -> Check:
    """A server runs, but not for ever, or not for everybody."""
    return Check(name, Status.WARNING, message, advice)


def fault(name: str, message: str, advice: str = "") -> Check:
    """A server cannot start, or something that is stored cannot be read."""
    return Check(name, Status.FAULT, message, advice)


def is_well(checks: Iterable[Check]) -> bool:
    """Whether there is no fault."""
    return all(check.status is not Status.FAULT for check in checks)
