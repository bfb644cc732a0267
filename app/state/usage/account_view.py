"""The costs of a conversation as the inspector shows them: sums, budgets, and each request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.cache.misses import Outcome
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.costs import COUNT
from app.domain.usage import Usage
from app.runs.usage.accounts import Account, Booked
from app.runs.usage.budgets import Budgeted
from app.state.usage.budgets import describe_spent_of
from app.state.usage.labels import (
    CACHE_READ,
    CACHE_WRITE,
    CACHE_WRITE_1H,
    INPUT,
    OUTPUT,
    FigureView,
    charge_alone,
    describe_both,
    describe_charge,
    describe_purpose,
    describe_saving,
    describe_tokens,
    label_saving,
)
from app.views.usage.figures import number, plural
from app.views.usage.usage import describe_report

_CONTEXT_USED: Final = {
    False: "By the last request and its reply",
    True: "By the summary. No reply followed it yet",
}
"""The notes of the figure "Context used", by `Account.summarised`."""
_OUTCOMES: Final = {Lifecycle.ERROR: "failed", Lifecycle.CANCELED: "stopped"}


@dataclass(frozen=True)
class BudgetNote:
    """The status of a budget that limits the conversation, as `text` and as a value for the stylesheet (`standing`)."""

    text: str
    standing: str


@dataclass(frozen=True)
class AccountSummary:
    """The total costs and tokens of the conversation with the id `conversation`.

    - `requests`: the number of its requests as text ("2 requests"), "" if nothing was sent.
    - `facts`: the totals, each with its label.
    - `kinds`: the tokens by kind.
    - `by_purpose`: the tokens and the cost by purpose; empty if there is only one purpose.
    """

    conversation: str
    requests: str
    facts: tuple[FigureView, ...]
    budgets: tuple[BudgetNote, ...]
    kinds: tuple[FigureView, ...]
    by_purpose: tuple[FigureView, ...]


@dataclass(frozen=True)
class CallItem:
    """A provider call of the conversation, as an entry of the list of its costs.

    - `what`: names its purpose and its pair.
    - `end`: describes its failure or stop, "" if it completed.
    - `prediction`: compares the predicted cached tokens with those that were read from the cache, "" if there is
      nothing to compare.
    - `report`: describes a fault in the usage that the provider reported, "" for none.
    - `started_at`: its start (ISO 8601).
    - `model_name`: the display name of `model`.
    """

    id: str
    what: str
    end: str
    cost: str
    model: str
    model_name: str
    started_at: str
    tokens: str
    prediction: str
    outcome: str
    report: str


def describe_account(account: Account, budgets: Sequence[Budgeted]) -> AccountSummary:
    """Describe the costs of a conversation for the page, with the budgets that limit the conversation."""
    spent = account.spent
    facts = [
        FigureView("Cost", charge_alone(spent)),
        FigureView(label_saving(spent.saved), describe_saving(spent.saved)),
        FigureView("Tokens", describe_tokens(spent)),
    ]
    if account.window is not None:
        facts.append(FigureView("Context used", number(account.window), _CONTEXT_USED[account.summarised]))
    purposes = [
        FigureView(describe_purpose(purpose, several=one.calls > 1), describe_both(one))
        for purpose, one in account.by_purpose.items()
    ]
    return AccountSummary(
        conversation=account.conversation.id,
        requests=plural(spent.calls, "request") if spent.calls else "",
        facts=tuple(facts),
        budgets=tuple(BudgetNote(describe_spent_of(one), one.standing.value) for one in budgets),
        kinds=_list_kinds(spent.usage),
        by_purpose=tuple(purposes) if len(purposes) > 1 else (),
    )


def describe_call(booked: Booked, conversation_id: str, model_name: str = "") -> CallItem:
    """Describe a provider call for the page, as an entry of the list of this conversation's costs.

    `model_name` is the display name of its model; "": use the id of the model.
    """
    call = booked.call
    is_count = call.purpose == COUNT
    tokens = "" if is_count else "tokens not reported by the provider"
    return CallItem(
        id=call.id,
        what=_name_call(booked, conversation_id),
        end=_describe_end(booked),
        cost="free" if is_count else describe_charge(booked.spent),
        model=call.model,
        model_name=model_name or call.model,
        started_at=call.started_at.isoformat(),
        tokens=tokens if call.usage is None else _list_tokens(call.usage),
        prediction=_describe_prediction(booked),
        outcome="" if booked.judged is None else booked.judged.outcome.value,
        report=describe_report(call.report_fault, call.reported) or "",
    )


def _list_kinds(usage: Usage) -> tuple[FigureView, ...]:
    kinds = (
        (INPUT, usage.input_tokens),
        (CACHE_READ, usage.cache_read_tokens),
        (f"{CACHE_WRITE}, 5 min", usage.cache_write_tokens),
        (CACHE_WRITE_1H, usage.cache_write_1h_tokens),
        (OUTPUT, usage.output_tokens),
    )
    return tuple(FigureView(label, number(count)) for label, count in kinds if count)


def _name_call(booked: Booked, conversation_id: str) -> str:
    call = booked.call
    purpose = describe_purpose(call.purpose)
    # The positions of a child conversation are not positions in this conversation.
    if call.conversation_id != conversation_id or call.purpose == COUNT:
        what = purpose
    elif booked.position is None:
        what = f"{purpose}, deleted pair"
    else:
        what = f"{purpose}, pair {booked.position}"
    return f"{what}, attempt {call.attempt}" if call.attempt > 1 else what


def _describe_end(booked: Booked) -> str:
    end = _OUTCOMES.get(booked.call.outcome, "")
    error_class = booked.call.error_class
    return f"{end} ({error_class.value})" if end and error_class is not None else end


def _list_tokens(usage: Usage) -> str:
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    parts = (
        f"{number(usage.input_tokens)} in",
        f"{number(usage.cache_read_tokens)} cached" if usage.cache_read_tokens else "",
        f"{number(written)} to the cache" if written else "",
        f"{number(usage.output_tokens)} out",
    )
    return " · ".join(filter(None, parts))


def _describe_prediction(booked: Booked) -> str:
    """Return a text that compares the cache prediction with the result.

    "" if there is nothing to compare: no prediction was made, or no cached tokens were predicted or read.
    """
    predicted, judged, usage = booked.foretold, booked.judged, booked.call.usage
    if predicted is None or judged is None or usage is None or not (predicted.tokens or usage.cache_read_tokens):
        return ""
    if judged.outcome is Outcome.AS_PREDICTED:
        return "cache as predicted"
    if judged.outcome is Outcome.AS_ESTIMATED:
        return f"cache nearly as predicted (~{number(predicted.tokens)})"
    return f"{number(predicted.tokens)} cached tokens were predicted. {judged.why or ''}".strip()
