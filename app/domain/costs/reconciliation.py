r"""Reconciliation: compares a provider's usage export (CSV) with the ledger, by day and model.

It reads the files that the consoles of Anthropic and OpenAI export, and recognizes them by their column names:
`usage_date_utc, model_version, usage_input_tokens_no_cache, …` and `start_time_iso, model, input_tokens,
input_cached_tokens, …`. OpenAI counts cached tokens as a part of the input. Days are UTC in both files.

    >>> statement = read_statement("usage_date_utc,model_version,usage_input_tokens_no_cache,usage_output_tokens\n"
    ...     "2026-05-01,claude-sonnet-4-5-20250929,7,2\n")
    >>> compare(statement, {(date(2026, 5, 1), "claude-sonnet-4-5"): Usage(7, 2)})[0].verdict
    <Verdict.MATCHES: 'matches'>
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from app.domain.errors import InputError
from app.domain.usage import Usage, read_count

Place = tuple[date, str]
"""The key of a comparison: a day in UTC, and the name of a model without its provider."""

_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
NOTHING = Usage()
MAX_COUNT = 10**12
"""Maximum number of tokens in one line: far more than an organisation uses in a day."""


class Verdict(StrEnum):
    """The result of comparing one day and model: equal, different, only in the ledger, or only in the export."""

    MATCHES = "matches"
    DIFFERS = "differs"
    ONLY_HERE = "only_here"
    ONLY_THERE = "only_there"


@dataclass(frozen=True, slots=True)
class Layout:
    """The column names of a provider's usage export. `cached_in_input`: the input column includes cached tokens."""

    vendor: str
    day: str
    model: str
    input: str
    output: str
    cache_read: str
    cache_write: str = ""
    cache_write_1h: str = ""
    cached_in_input: bool = False


LAYOUTS = (
    Layout(
        "anthropic",
        "usage_date_utc",
        "model_version",
        "usage_input_tokens_no_cache",
        "usage_output_tokens",
        "usage_input_tokens_cache_read",
        "usage_input_tokens_cache_write_5m",
        "usage_input_tokens_cache_write_1h",
    ),
    Layout(
        "openai",
        "start_time_iso",
        "model",
        "input_tokens",
        "output_tokens",
        "input_cached_tokens",
        cached_in_input=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """The usage in a provider's usage export: from day `first` to day `last`, by day and model."""

    vendor: str
    first: date
    last: date
    used: Mapping[Place, Usage]


@dataclass(frozen=True, slots=True)
class ReconciledDay:
    """The comparison of one day and model: the usage in the ledger (`here`), and in the provider's export (`there`)."""

    day: date
    model: str
    verdict: Verdict
    here: Usage
    there: Usage


def read_statement(text: str) -> Statement:
    """Read a provider's usage export, a CSV text.

    Raises:
        InputError: the layout is unknown, or a line cannot be read. The message names the line.
    """
    try:
        return _read_lines(text.removeprefix("\ufeff"))
    except csv.Error as error:
        raise InputError("file", f"cannot be read: {error}. Export it again.") from error


def _read_lines(text: str) -> Statement:
    rows = csv.DictReader(found.group() for found in _LINE.finditer(text))
    columns = frozenset(rows.fieldnames or ())
    layout = next((one for one in LAYOUTS if {one.day, one.model, one.input, one.output} <= columns), None)
    if layout is None:
        known = " or ".join(f"{one.day}, {one.model}, {one.input}, {one.output}" for one in LAYOUTS)
        raise InputError("file", f"is not a known usage export. Its first line must contain {known}.")
    used: dict[Place, Usage] = {}
    for row in rows:
        if not (row[layout.model] or "").strip():
            continue  # the row is for a day without calls
        place, usage = _read_row(layout, row, rows.line_num)
        used[place] = used.get(place, NOTHING) + usage
    if not used:
        raise InputError("file", "has no usage. Export a period in which something was sent.")
    days = [day for day, _ in used]
    return Statement(layout.vendor, min(days), max(days), used)


def compare(statement: Statement, here: Mapping[Place, Usage]) -> tuple[ReconciledDay, ...]:
    """Compare every day and model that has usage in the export or in the ledger, in order.

    A date at the end of a model name is ignored.
    """
    mine = _by_plain_name(here)
    theirs = _by_plain_name(statement.used)
    lines: list[ReconciledDay] = []
    for day, model in sorted(mine.keys() | theirs.keys()):
        one, other = mine.get((day, model), NOTHING), theirs.get((day, model), NOTHING)
        if _kinds(one) != _kinds(NOTHING) or _kinds(other) != _kinds(NOTHING):
            lines.append(ReconciledDay(day, model, _judge(one, other), one, other))
    return tuple(lines)


def _judge(here: Usage, there: Usage) -> Verdict:
    if _kinds(here) == _kinds(there):
        return Verdict.MATCHES
    if _kinds(here) == _kinds(NOTHING):
        return Verdict.ONLY_THERE
    return Verdict.ONLY_HERE if _kinds(there) == _kinds(NOTHING) else Verdict.DIFFERS


def _kinds(usage: Usage) -> tuple[int, ...]:
    """Return the token counts to compare. Reasoning tokens are left out, because no export has them separately."""
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    return usage.input_tokens, usage.cache_read_tokens, written, usage.output_tokens


def _by_plain_name(used: Mapping[Place, Usage]) -> dict[Place, Usage]:
    plain: dict[Place, Usage] = {}
    for (day, model), usage in used.items():
        place = (day, _DATED.sub("", model.strip().lower().replace(" ", "-").replace(".", "-")))
        plain[place] = plain.get(place, NOTHING) + usage
    return plain


def _read_row(layout: Layout, row: Mapping[str, str | None], line: int) -> tuple[Place, Usage]:
    try:
        day = date.fromisoformat((row[layout.day] or "")[:10])
        fresh, output, read, written, written_1h = (
            _read_count(row.get(name) or "0") if name else 0
            for name in (layout.input, layout.output, layout.cache_read, layout.cache_write, layout.cache_write_1h)
        )
    except (ValueError, OverflowError) as error:
        raise InputError("file", f"cannot be read in line {line}: {error}. Export it again.") from error
    if layout.cached_in_input:
        fresh -= read
    return (day, row[layout.model] or ""), Usage(fresh, output, read, written, written_1h)


def _read_count(text: str) -> int:
    count = read_count(int(float(text)), MAX_COUNT)
    if count is None:
        raise ValueError(f"{text[:40]} is not a number of tokens")
    return count
