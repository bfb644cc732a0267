"""The comparison of the ledger with a provider's usage export (CSV). The file is not stored.

The browser sends the file in pieces, because a message of the socket may have a million bytes at most.

    await tab.send(BillState.take_piece, number=0, text="usage_date_utc,…", is_last=True)
    tab.shows(BillState, "bill").summary      # "2026-05-01 to 2026-05-01: 0 of 1 line match."
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.domain.costs.reconciliation import ReconciledDay, Statement, Verdict
from app.domain.errors import InputError
from app.domain.usage import Usage
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.reconciliation import reconcile
from app.state.usage.labels import CACHE_READ, CACHE_WRITE, INPUT, OUTPUT
from app.views.usage.figures import number, plural

KINDS: Final = (INPUT, CACHE_READ, CACHE_WRITE, OUTPUT)
"""The kinds of tokens that are compared, in the order of `BillLine.tokens`."""
MAX_CHARACTERS: Final = 16 * 1024 * 1024

_TOO_LARGE: Final = "The file is larger than 16 MB. Export fewer days."
_VERDICTS: Final = {
    Verdict.MATCHES: "Matches",
    Verdict.DIFFERS: "Differs",
    Verdict.ONLY_HERE: "Only here",
    Verdict.ONLY_THERE: "Only at the provider",
}


@dataclass(frozen=True)
class BillLine:
    """A UTC day and a model whose figures differ in the ledger and in the provider's export.

    Each item of `tokens` has both figures: "ledger / export".
    """

    day: str
    model: str
    verdict: str
    tokens: tuple[str, ...]


@dataclass(frozen=True)
class BillView:
    """The result of comparing the ledger with a provider's export: a sentence, and the lines that do not match."""

    summary: str
    lines: tuple[BillLine, ...]


class BillState(rx.State):
    """The comparison with a provider's usage export.

    - `busy`: a file is being received or compared.
    - `bill`: the result, None if there is none.
    - `fault`: the reason why the last comparison failed.
    """

    busy: rx.Field[bool] = rx.field(default=False)
    bill: rx.Field[BillView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")
    _pieces: tuple[str, ...] = ()

    @rx.event
    async def take_piece(self, number: int, text: str, is_last: bool) -> rx.event.EventType[()] | None:
        """Append a piece of the export file. Number 0 starts a new file; after the last piece the file is compared."""
        if number == 0:
            self.busy, self.bill, self.fault, self._pieces = True, None, "", ()
        if not isinstance(text, str) or number != len(self._pieces) or self.fault:  # pyright: ignore[reportUnnecessaryIsInstance] - any client may send anything
            return None
        if sum(map(len, self._pieces)) + len(text) > MAX_CHARACTERS:
            self.busy, self.fault, self._pieces = False, _TOO_LARGE, ()
            return None
        self._pieces = (*self._pieces, text)
        return BillState.compare if is_last else None

    @rx.event(background=True)
    async def compare(self) -> None:
        """Compare the received file with the ledger."""
        async with self:
            text, self._pieces = "".join(self._pieces), ()
        bill, fault = None, ""
        try:
            bill = _describe(*await reconcile(current(), LOCAL_OWNER, text))
        except InputError as error:
            fault = f"The {error.field} {error.reason}"
        finally:
            async with self:
                self.busy, self.bill, self.fault = False, bill, fault


def _describe(statement: Statement, lines: Sequence[ReconciledDay]) -> BillView:
    off = [line for line in lines if line.verdict is not Verdict.MATCHES]
    matching = len(lines) - len(off)
    found = f"{statement.first} to {statement.last}: {number(matching)} of {plural(len(lines), 'line')} match"
    return BillView(
        summary=f"{found}." if off else f"{found}. Nothing is missing on either side.",
        lines=tuple(
            BillLine(
                day=line.day.isoformat(),
                model=line.model,
                verdict=_VERDICTS[line.verdict],
                tokens=tuple(
                    f"{number(here)} / {number(there)}"
                    for here, there in zip(_count(line.here), _count(line.there), strict=True)
                ),
            )
            for line in off
        ),
    )


def _count(usage: Usage) -> tuple[int, ...]:
    """Return the numbers of tokens by kind, in the order of `KINDS`."""
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    return usage.input_tokens, usage.cache_read_tokens, written, usage.output_tokens
