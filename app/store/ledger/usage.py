"""Queries of usage: sums of the ledger by day, model, purpose, agent and conversation.

They read the two tables of sums that the database updates with each new row (`usage_day`, `usage_account`), so that a
million calls are added up in a fraction of a second. If the price of a model changes at a time of day or a prompt
length that the sums do not separate, its calls are read from the ledger.

Elsewhere: costs (`runs/usage/usage.py`), the most expensive conversations (`most_expensive.py`), and the computation of
the stored sums (`rollups.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Table, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.damage import DamagedRowError
from app.domain.costs.prices import PROMPT_STEPS, Tariff, day_marks
from app.domain.usage import COUNTERS, Usage
from app.store.database.damage import UNKNOWN_MODEL, Reading
from app.store.ledger.counts import clean
from app.store.ledger.rollups import clock, count_reached, cut_short, prompt_tokens, time_of_day
from app.store.ledger.rows_ledger import LEDGER, USAGE_ACCOUNT, USAGE_DAY

Place = tuple[str, int, int, int]
"""The key of a price: model, era, part of the day and size class (see `Apart`)."""
GroupBy = Literal["day", "month", "model", "purpose", "agent", "conversation"]


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """Conditions for calls. The UTC days `first` and `last` are both included. A condition of None does not apply.

    - `account_id`: only calls of this conversation and of its child conversations.
    - `agent_id`: only calls of this agent; "": only calls without an agent.
    """

    first: date | None = None
    last: date | None = None
    model: str | None = None
    purpose: str | None = None
    account_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Apart:
    """The days, times of day and prompt lengths at which prices change.

    Calls on both sides of them are summed separately.

    - `days`: the days on which a price changes. They divide time into eras, which are numbered from 0.
    - `models`: models whose calls are also separated at `minutes` and `steps`.
    - `minutes`, `steps`: minutes of the day and prompt lengths at which prices of these models change.
    - `sizes`: for all other models, the values of `domain.costs.prices.size_class` from which a price differs. Their
      calls are also separated by the parts of the day of the stored sums (`domain.costs.prices.day_part`).
    """

    days: tuple[date, ...] = ()
    models: tuple[str, ...] = ()
    minutes: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    def at(self, model: str, era: int, part: int) -> datetime:
        """Return a time in this era (see `days`) and in this part of the day, to look up the price of a model."""
        day = self.days[era - 1] if era else (self.days[0] - timedelta(1) if self.days else _ANY_DAY)
        marks = self.minutes if model in self.models else day_marks(model)
        return datetime.combine(day, time(), UTC) + timedelta(minutes=marks[part - 1] if part else 0)

    def prompt(self, model: str, size: int) -> int:
        """Return a prompt length in tokens that lies in the size class `size`, to look up the price of a model."""
        if not size:
            return 0
        return self.steps[size - 1] + 1 if model in self.models else PROMPT_STEPS[self.sizes[size - 1] - 1] + 1


_ANY_DAY = date(2000, 1, 1)
NOTHING_APART = Apart()


class PriceGroupTotal(NamedTuple):
    """The sums of calls of one group with the same price: same model, era, part of the day, size class (see `Apart`).

    - `group`: the value that the calls are grouped by, such as a day or a purpose.
    - `cut`: the number of calls that may have used more than reported.
    """

    group: str
    model: str
    era: int
    part: int
    size: int
    calls: int
    cut: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_1h_tokens: int
    reasoning_tokens: int

    @property
    def usage(self) -> Usage:
        return Usage(*self[7:])

    @property
    def place(self) -> Place:
        return self[1:5]

    @property
    def counters(self) -> tuple[int, ...]:
        """Return all sums: the number of calls, the number of calls cut short, and the tokens of each kind."""
        return self[5:]


def keep_apart(tariffs: Iterable[tuple[str, Tariff | None]]) -> Apart:
    """Return the days, minutes of the day and prompt lengths at which prices change. Calls are then summed per price.

    `tariffs` has the tariff of each model. A model with None, whose prices are unknown, is ignored.
    """
    known = [(model, tariff) for model, tariff in tariffs if tariff is not None]
    fine = [(model, tariff) for model, tariff in known if not tariff.is_even(model)]
    coarse = frozenset[int]().union(*(tariff.steps for model, tariff in known if tariff.is_even(model)))
    return Apart(
        tuple(sorted(frozenset[date]().union(*(tariff.days for _, tariff in known)))),
        tuple(model for model, _ in fine),
        tuple(sorted(frozenset[int]().union(*(tariff.minutes for _, tariff in fine)))),
        tuple(sorted(frozenset[int]().union(*(tariff.steps for _, tariff in fine)))),
        tuple(size for size, step in enumerate(PROMPT_STEPS, start=1) if step in coarse),
    )


async def sum_calls(  # noqa: PLR0913 - owner, query, grouping and prices
    session: AsyncSession,
    owner: str,
    usage_query: UsageQuery,
    group_by: GroupBy,
    apart: Apart = NOTHING_APART,
    *,
    accounts: Sequence[str] | None = None,
) -> list[PriceGroupTotal]:
    """Sum the usage of the calls that match `usage_query`: one sum for each group and price.

    `apart` has the times and prompt lengths at which prices change (see `keep_apart`). `accounts`: only the usage of
    these conversations and their child conversations.
    """
    found: list[PriceGroupTotal] = []
    for calls in calls_of(owner, usage_query, apart, by_account=group_by == "conversation" or accounts is not None):
        keys = (_group(calls, group_by), calls.model, calls.era, calls.part, calls.size)
        sums = (func.sum(calls.counters["calls"]), *(func.sum(calls.counters[name]) for name in ("cut", *COUNTERS)))
        conditions = (
            calls.conditions if accounts is None else (*calls.conditions, calls.table.c.account_id.in_(accounts))
        )
        rows = await session.execute(select(*keys, *sums).where(*conditions).group_by(*keys))
        found += [_read_sum(row) for row in rows]
    return found


def _read_sum(row: Any) -> PriceGroupTotal:
    """Decode a sum. An unreadable model or group counts as unknown, so that no cost is left out.

    Raises:
        DamagedRowError: a number cannot be read.
    """
    group, model, *rest = row
    for value in rest:
        if not isinstance(value, int):
            raise refuse_sums("calls")
    known = model if isinstance(model, str) else UNKNOWN_MODEL
    unknown = UNKNOWN_MODEL if group == model else ""
    return PriceGroupTotal(group if isinstance(group, str) else unknown, known, *rest)


def refuse_sums(column: str) -> DamagedRowError:
    """Return the error for stored sums that differ from the ledger. `column` is the column that differs."""
    reading = Reading(USAGE_ACCOUNT.name, "(without an id)")
    reading.note(column, "it is not what the ledger says", 0)
    return DamagedRowError(reading.damage[0])


@dataclass(frozen=True, slots=True)
class Calls:
    """A table of calls or of sums of calls, with the expressions to query it.

    - `model`, `era`, `part`, `size`: the key of the price.
    - `counters`: the number of calls, the number of calls cut short, and the tokens by kind.
    - `conditions`: select the calls of a query.
    """

    table: Table
    day: ColumnElement[str]
    model: ColumnElement[str]
    era: ColumnElement[int]
    part: ColumnElement[int]
    size: ColumnElement[int]
    counters: dict[str, ColumnElement[int]]
    conditions: tuple[ColumnElement[bool], ...]


def calls_of(owner: str, usage_query: UsageQuery, apart: Apart, *, by_account: bool) -> list[Calls]:
    """Return the tables that a query must read: a table of sums, and the ledger for the models in `apart.models`.

    `by_account`: the sums must be separate for each conversation.
    """
    found = [_kept_sums(owner, usage_query, apart, by_account=by_account)]
    return [*found, _entered(owner, usage_query, apart)] if apart.models else found


def _kept_sums(owner: str, usage_query: UsageQuery, apart: Apart, *, by_account: bool) -> Calls:
    table = USAGE_ACCOUNT if by_account or usage_query.account_id is not None else USAGE_DAY
    day: ColumnElement[str] = table.c.day
    conditions = [table.c.owner == owner, *_limit(table, usage_query)]
    if usage_query.first is not None:
        conditions.append(day >= usage_query.first.isoformat())
    if usage_query.last is not None:
        conditions.append(day <= usage_query.last.isoformat())
    if apart.models:
        conditions.append(table.c.model.not_in(apart.models))
    return Calls(
        table,
        day,
        table.c.model,
        count_reached(day, _texts(apart.days)),
        table.c.part,
        count_reached(table.c["size"], list(apart.sizes)),
        {name: table.c[name] for name in ("calls", "cut", *COUNTERS)},
        tuple(conditions),
    )


def _entered(owner: str, usage_query: UsageQuery, apart: Apart) -> Calls:
    day = func.substr(LEDGER.c.started_at, 1, 10)  # times are stored as text
    conditions = [LEDGER.c.owner == owner, LEDGER.c.model.in_(apart.models), *_limit(LEDGER, usage_query)]
    if usage_query.first is not None:
        conditions.append(LEDGER.c.started_at >= _midnight(usage_query.first))
    if usage_query.last is not None and usage_query.last != date.max:
        conditions.append(LEDGER.c.started_at < _midnight(usage_query.last + timedelta(1)))
    counters = {name: func.coalesce(clean(LEDGER.c[name]), 0) for name in COUNTERS}
    return Calls(
        LEDGER,
        day,
        LEDGER.c.model,
        count_reached(day, _texts(apart.days)),
        count_reached(time_of_day(LEDGER), list(map(clock, apart.minutes))),
        count_reached(prompt_tokens(LEDGER), [step + 1 for step in apart.steps]),
        {"calls": literal(1), "cut": cut_short(LEDGER), **counters},
        tuple(conditions),
    )


def _group(calls: Calls, group_by: GroupBy) -> ColumnElement[Any]:
    match group_by:
        case "day":
            return calls.day
        case "month":
            return func.substr(calls.day, 1, 7)
        case "conversation":
            return calls.table.c.account_id
        case "agent":
            return func.coalesce(calls.table.c.agent_id, "")
        case "model" | "purpose":
            return calls.table.c[group_by]


def _limit(table: Table, usage_query: UsageQuery) -> list[ColumnElement[bool]]:
    named = {"model": usage_query.model, "purpose": usage_query.purpose, "account_id": usage_query.account_id}
    conditions = [table.c[name] == value for name, value in named.items() if value is not None]
    if usage_query.agent_id is not None:
        conditions.append(func.coalesce(table.c.agent_id, "") == usage_query.agent_id)
    return conditions


def _texts(days: Iterable[date]) -> list[str]:
    return [day.isoformat() for day in days]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
