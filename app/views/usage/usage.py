"""Views of usage and cost: of a report, a conversation, a call, and a comparison with a bill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """The usage and cost of several provider calls. Money is US dollars as decimal text.

    - `input_tokens`, `cache_read_tokens`, `cache_write_tokens`, `cache_write_1h_tokens`: the prompt tokens. They do not
      overlap.
    - `cost_at_least`: a part of the cost is unknown, so the real cost may be higher.
    - `uncached_cost`: the known part of the cost, as if nothing was cached.
    - `saved`: `uncached_cost` minus the known cost; negative if cache writes cost more than cache reads saved.
    - `cut_short`: the number of calls that may have used more than their provider reported.
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
    """The usage and cost of one group of a report. `group` is its name or id.

    `title` is the title of a conversation; null: the group is no conversation, or it was deleted or has no title.
    """

    group: str
    title: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReportView:
    """A usage report: usage and cost by group. `others` is the sum of the groups left out, `more` is their number."""

    group_by: str
    items: tuple[GroupView, ...]
    total: SpentView
    others: SpentView
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStandView:
    """A money budget that applies to the next send, and the part of it that is spent.

    - `words`: describes the budget.
    - `amount`: its limit in US dollars.
    - `standing`: says whether it is nearly or fully spent.
    """

    words: str
    amount: str
    spent: SpentView
    standing: BudgetStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefAccountView:
    """A short summary of the usage and cost of a conversation, for the top bar of its page.

    `window` is the number of tokens of the model's window that are in use now; null: no call has reported it yet.
    `budgets` are the money budgets that apply to the next send.
    """

    total: SpentView
    window: int | None
    budgets: tuple[BudgetStandView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView(BriefAccountView):
    """The usage and cost of a conversation, including the calls for its titles and summaries.

    `cumulative` are tokens by kind: the sum in its last accounting node plus all later usage. An accounting node is an
    entry of the log with the sum at the time when messages were removed or restored.
    """

    conversation_id: str
    by_purpose: dict[str, SpentView]
    by_model: dict[str, SpentView]
    cumulative: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView(SpentView):
    """One provider call. `position` is the position of its pair; null: the pair no longer exists.

    - `derived`: the call was made in a child conversation.
    - `told`: the provider reported its usage.
    - `report_note`: describes a fault of this report: invalid counts, or more or fewer tokens than are plausible for
      the text; null: none.
    - `predicted_read_tokens`: the tokens that it was expected to read from the provider's cache; null: no prediction.
    - `cache_outcome`: compares the report with the prediction.
    - `cache_why`: explains a difference.
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
    """A page of a list of provider calls, the last recorded call first."""

    items: tuple[CallView, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TokensView:
    """The numbers of tokens of each kind that providers bill separately."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


@dataclass(frozen=True, slots=True)
class LineView:
    """The usage of one model on one UTC day: `here` in the ledger, `there` in the provider's export.

    `verdict` is the result of the comparison.
    """

    day: date
    model: str
    verdict: Verdict
    here: TokensView
    there: TokensView


@dataclass(frozen=True, slots=True)
class ReconciledView:
    """The comparison of the ledger with a provider's usage export, from its `first` to its `last` day.

    `lines` has a line for each day and model, `matching` is the number of lines that match.
    """

    vendor: str
    first: date
    last: date
    matching: int
    lines: tuple[LineView, ...]


def describe_report(fault: str | None, reported: Observation | None) -> str | None:
    """Describe the fault of a provider's usage report for a call. Return None if the report has none.

    `fault` is the fault that the ledger has for the report. `reported` are the counts to check for plausibility.
    """
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
    """Convert the comparison with a provider's usage export to the form that the HTTP API returns."""
    shown = tuple(
        LineView(line.day, line.model, line.verdict, _tokens(line.here), _tokens(line.there)) for line in lines
    )
    matching = sum(line.verdict is Verdict.MATCHES for line in lines)
    return ReconciledView(statement.vendor, statement.first, statement.last, matching, shown)


def _tokens(usage: Usage) -> TokensView:
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    return TokensView(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, written)


def describe_spent(spent: Spent) -> SpentView:
    """Convert the usage and cost of calls to the form that the HTTP API returns."""
    return SpentView(**spent_fields(spent))


def spent_fields(spent: Spent) -> dict[str, Any]:
    """Return the names and values of the fields of a `SpentView` for this usage and cost."""
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
    """Convert each usage and cost in a mapping for the HTTP API. The keys, such as models, stay the same."""
    return {name: describe_spent(one) for name, one in spent.items()}
