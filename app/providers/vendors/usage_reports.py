"""Reads the token counts in providers' usage reports strictly.

A count is an integer from 0 to `MAX_TOKENS`. Any other value counts as not reported and becomes a fault, which is
stored in the ledger. A fault does not fail the reply.

    >>> report = UsageReport({"prompt_tokens": 12, "completion_tokens": 1.5})
    >>> report.require("prompt_tokens"), report.require("completion_tokens"), report.fault
    (12, None, 'completion_tokens: 1.5')
    >>> UsageReport("many").fault
    "usage: 'many'"

The adapter of a vendor names the fields of its reports. `domain/tokens/calibration.py` judges if a count is plausible.
"""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field
from typing import Any, Final, cast

from app.domain.stream.stream_events import UsageReported
from app.domain.usage import Usage, read_count

MAX_FAULTS: Final = 4
_MISSING: Final = object()
_MAX_SHOWN: Final = 80


@dataclass(eq=False)
class UsageReport:
    """A received usage report, with a list of the fields that are no counts."""

    reported: object
    _faults: list[str] = field(default_factory=list[str])
    _fields: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._fields = self._object("usage", self.reported)

    @property
    def fault(self) -> str | None:
        """Return the names and values of the fields that are no counts.

        Return None if all fields that were read are counts.
        """
        more = len(self._faults) - MAX_FAULTS
        text = "; ".join(self._faults[:MAX_FAULTS]) + (f"; and {more} more" if more > 0 else "")
        return text or None

    def require(self, name: str) -> int | None:
        """Return the count with this name. A missing count is also a fault, and gives None."""
        value = self._fields.get(name, _MISSING)
        return self._read(name, None if value is _MISSING else value, "missing" if value is _MISSING else None)

    def find(self, *names: str, inside: str | None = None) -> int:
        """Return the first count that is reported under one of these names, or 0 if there is none.

        `inside` is the name of the object that has the fields.
        """
        within = self._fields if inside is None else self._object(inside, self._fields.get(inside))
        for name in names:
            if (value := within.get(name)) is not None:
                return self._read(name, value) or 0
        return 0

    def split(self, whole: int, *parts: tuple[str, int]) -> tuple[int, ...]:
        """Divide a token count `whole`: return the tokens that are in none of the `parts`, then each part.

        If the parts together exceed `whole`, all of them count as not reported.

        >>> report = UsageReport({})
        >>> report.split(10, ("cached_tokens", 4)), report.split(10, ("cached_tokens", 11)), report.fault
        ((6, 4), (10, 0), 'cached_tokens: 11 of 10')
        """
        counts = tuple(count for _, count in parts)
        if sum(counts) <= whole:
            return (whole - sum(counts), *counts)
        self._faults += [f"{name}: {count:,} of {whole:,}" for name, count in parts if count]
        return (whole, *(0 for _ in counts))

    def as_disjoint(
        self, whole: int | None, output: int | None, read: int = 0, written: int = 0, thought: int = 0
    ) -> UsageReported:
        """Return the usage event for a prompt count `whole` that includes the cached tokens `read` and `written`.

        In the event, the three counts of the prompt do not overlap. `thought` is the part of `output` that is
        reasoning. If `whole` is None, the event has no usage. If `output` is None, the output counts as 0 tokens, and
        the fault of the event names the missing count.
        """
        if whole is None:
            return self.as_event(None)
        output = output or 0
        fresh, read, written = self.split(whole, ("cached_tokens", read), ("cache_write_tokens", written))
        _, thought = self.split(output, ("reasoning_tokens", thought))
        return self.as_event(
            Usage(
                input_tokens=fresh,
                output_tokens=output,
                cache_read_tokens=read,
                cache_write_tokens=written,
                reasoning_tokens=thought,
            )
        )

    def as_event(self, usage: Usage | None) -> UsageReported:
        """Return the stream event with this usage and with the fault of this report."""
        return UsageReported(usage, self.fault)

    def _read(self, name: str, value: object, instead: str | None = None) -> int | None:
        count = read_count(value)
        if count is None:
            self._faults.append(f"{name}: {instead or _show(value)}")
        return count

    def _object(self, name: str, value: object) -> dict[str, Any]:
        if value is None:
            return {}
        if isinstance(value, dict):
            return cast("dict[str, Any]", value)
        self._faults.append(f"{name}: {_show(value)}")
        return {}


def _show(value: object) -> str:
    return reprlib.repr(value)[:_MAX_SHOWN]
