"""Views of usage: tokens by kind, money as decimal text, and a table (CSV) for a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from io import StringIO
from typing import Any

from app.domain.cache.misses import Outcome
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.budgets import BudgetStatus
from app.domain.costs.reconciliation import ReconciledDay, Statement, Verdict
from app.domain.costs.spending import Spent
from app.domain.errors import ErrorClass
from app.domain.tokens.calibration import Observation, is_plausible, plausible_tokens
from app.domain.usage import Usage
from app.views.request.composition import describe_cost

AT_ONCE = 32_768
"""Number of characters of a table that are written at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """Tokens and cost of calls. The four kinds of prompt tokens do not overlap; the fourth: `cache_write_1h_tokens`.

    Money is US dollars as decimal text. `cost_at_least`: a part of the cost is unknown, so it may be higher.
    `uncached_cost` is the known part computed without any caching, `saved` the difference (negative if cache writes
    cost more than cache reads saved). `cut_short`: calls that may have used more than their provider reported.
    """

    calls: int
    cut_short: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_1h_tokens: int
    reasoning_tokens: int
    cost: str
    cost_at_least: bool
    uncached_cost: str
    saved: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView(SpentView):
    """The spending of one group. `title` is a conversation's; null: it was deleted, or has no title."""

    group: str
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReportView:
    """The spending by group. `others` sums the groups left out, `more` says how many there are."""

    group_by: str
    items: tuple[GroupView, ...]
    total: SpentView
    others: SpentView
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStandView:
    """A budget that includes the next send. `words` name it, `amount` is in US dollars."""

    words: str
    amount: str
    spent: SpentView
    standing: BudgetStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefAccountView:
    """A short summary of a conversation's account, shown after each reply.

    `window` is the number of tokens of the context window in use now; null: no call has reported it yet.
    """

    total: SpentView
    window: int | None
    budgets: tuple[BudgetStandView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView(BriefAccountView):
    """A conversation's account, with the calls for its titles and summaries.

    `cumulative` is the usage in its last accounting node plus all later usage, in tokens by kind.
    """

    conversation_id: str
    by_purpose: dict[str, SpentView]
    by_model: dict[str, SpentView]
    cumulative: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView(SpentView):
    """One provider call. `position` is its pair's; null: the pair is gone. `derived`: a child conversation made it.

    `told`: its provider reported its usage. `predicted_read_tokens` is the planned read of the provider's cache (null:
    none), `cache_outcome` compares the report with it, `cache_why` explains a difference. `report_note` describes a
    fault of the report: invalid counts, or more or fewer tokens than are plausible for the text.
    """

    id: str
    conversation_id: str
    derived: bool
    pair_id: str
    position: int | None
    run_id: str
    attempt: int
    purpose: str
    model: str
    outcome: Lifecycle
    error_class: ErrorClass | None
    told: bool
    report_note: str | None
    predicted_read_tokens: int | None
    cache_outcome: Outcome | None
    cache_why: str | None
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class CallPage:
    """A page of calls, the last recorded first."""

    items: tuple[CallView, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TokensView:
    """Tokens by kind, as providers bill them."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


@dataclass(frozen=True, slots=True)
class LineView:
    """One UTC day and model: `here` is the usage in the ledger, `there` the usage in the provider's export."""

    day: date
    model: str
    verdict: Verdict
    here: TokensView
    there: TokensView


@dataclass(frozen=True, slots=True)
class ReconciledView:
    """The comparison of the ledger with a provider's export, from the file's `first` day to its `last`."""

    vendor: str
    first: date
    last: date
    matching: int
    lines: tuple[LineView, ...]


def describe_report(fault: str | None, reported: Observation | None) -> str | None:
    """Describe the fault in a provider's report of a call, None if there is none. `fault` as in the ledger."""
    if fault is not None:
        return f"The usage report could not be read in full ({fault}). More may have been used."
    if reported is None or is_plausible(reported):
        return None
    least, most = plausible_tokens(reported)
    return (
        f"Implausible: {reported.tokens:,} input tokens reported, where the text comes to {least:,} to {most:,}. "
        "Counted as reported; estimates do not learn from it."
    )


def describe_reconciled(statement: Statement, lines: Sequence[ReconciledDay]) -> ReconciledView:
    """Return the view of a comparison with a provider's export."""
    shown = tuple(
        LineView(line.day, line.model, line.verdict, _tokens(line.here), _tokens(line.there)) for line in lines
    )
    matching = sum(line.verdict is Verdict.MATCHES for line in lines)
    return ReconciledView(statement.vendor, statement.first, statement.last, matching, shown)


def _tokens(usage: Usage) -> TokensView:
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    return TokensView(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, written)


def describe_spent(spent: Spent) -> SpentView:
    """Return the spending for the page."""
    return SpentView(**spent_fields(spent))


def spent_fields(spent: Spent) -> dict[str, Any]:
    """Return the fields of `SpentView`."""
    return {
        "calls": spent.calls,
        "cut_short": spent.cut,
        **asdict(spent.usage),
        "cost": describe_cost(spent.cost.amount),
        "cost_at_least": spent.cost.at_least,
        "uncached_cost": describe_cost(spent.uncached),
        "saved": describe_cost(spent.saved),
    }


def describe_all(spent: Mapping[str, Spent]) -> dict[str, SpentView]:
    """Return the spending under each name."""
    return {name: describe_spent(one) for name, one in spent.items()}


def write_table(first: str, rows: Iterable[tuple[str, str | None, Spent]]) -> Iterator[str]:
    """Write the rows as CSV (RFC 4180) with a header, in chunks, so that no table is in memory as a whole.

    A text that a spreadsheet would read as a formula is quoted.

    >>> print("".join(write_table("model", [("=1+1", None, Spent(calls=2))])).splitlines()[1][:12])
    '=1+1,,2,0,0
    """
    written = StringIO()
    table = csv.writer(written)
    table.writerow([first, "title", *(field.name for field in fields(SpentView))])
    for name, title, spent in rows:
        table.writerow([_plain(name), _plain(title or ""), *spent_fields(spent).values()])
        if written.tell() >= AT_ONCE:
            yield written.getvalue()
            written.seek(0)
            written.truncate()
    yield written.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
