"""Queries of usage: sums of the ledger by day, model, purpose, agent and account.

Asked of the two tables of sums that the database keeps with each row entered (`usage_day`, `usage_account`), so that a
million calls are added up in a fraction of a second. Calls of models whose price changes at an hour or a length of
prompt that the sums do not tell apart are asked of the ledger itself.

Not here: prices, and so costs (`runs/usage/usage.py`), which conversations cost most (`most_expensive.py`), and the
sums themselves (`rollups.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, LargeBinary, Table, Text, cast, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.damage import DamagedRowError
from app.domain.costs.prices import PROMPT_STEPS, Tariff, day_marks
from app.domain.usage import COUNTERS, Usage
from app.store.database.damage import UNKNOWN_MODEL, Reading, Unreadable
from app.store.ledger.counts import clean
from app.store.ledger.rollups import clock, count_reached, cut_short, prompt_tokens, time_of_day
from app.store.ledger.rows_ledger import LEDGER, USAGE_ACCOUNT, USAGE_DAY

Place = tuple[str, int, int, int]
"""What calls of one price have in common: model, era, part of the day and size (see `Apart`)."""
GroupBy = Literal["day", "month", "model", "purpose", "agent", "conversation"]


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """Which calls are meant: of UTC days from `first` to `last`, both included; None: whatever it is.

    `account_id` is a conversation: its own calls and those of what was derived from it. `agent_id` "": of no agent.
    """

    first: date | None = None
    last: date | None = None
    model: str | None = None
    purpose: str | None = None
    account_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class Apart:
    """What must be kept apart to be priced: changes with a day; of some `models` also at `minutes` and at `steps`.

    `sizes`: with which of `domain.costs.prices.size_class` a price of the other models is another one. Of these, parts
    of the day are those that the sums keep (`domain.costs.prices.day_part`).
    """

    days: tuple[date, ...] = ()
    models: tuple[str, ...] = ()
    minutes: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    def at(self, model: str, era: int, part: int) -> datetime:
        """An instant of an era and a part of the day."""
        day = self.days[era - 1] if era else (self.days[0] - timedelta(1) if self.days else _ANY_DAY)
        marks = self.minutes if model in self.models else day_marks(model)
        return datetime.combine(day, time(), UTC) + timedelta(minutes=marks[part - 1] if part else 0)

    def prompt(self, model: str, size: int) -> int:
        """A prompt as long as the calls of this size."""
        if not size:
            return 0
        return self.steps[size - 1] + 1 if model in self.models else PROMPT_STEPS[self.sizes[size - 1] - 1] + 1


_ANY_DAY = date(2000, 1, 1)
NOTHING_APART = Apart()


class Sum(NamedTuple):
    """What calls of one group came to that have one price: that of their model in an era, a part of the day, at a size.

    `group` is the value grouped by. `cut` of the `calls` may have used more than was told. See `Apart`.
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
        """Calls, calls cut short, then tokens by kind."""
        return self[5:]


def keep_apart(tariffs: Iterable[tuple[str, Tariff | None]]) -> Apart:
    """What sums of calls of these models must keep apart."""
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


async def sum_calls(  # noqa: PLR0913 - whose, which, by what and at what prices
    session: AsyncSession,
    owner: str,
    asked: UsageQuery,
    group_by: GroupBy,
    apart: Apart = NOTHING_APART,
    *,
    accounts: Sequence[str] | None = None,
) -> list[Sum]:
    """What was used, by group and price. `accounts`: on these accounts only."""
    found: list[Sum] = []
    for calls in calls_of(owner, asked, apart, by_account=group_by == "conversation" or accounts is not None):
        keys = (_group(calls, group_by), calls.model, calls.era, calls.part, calls.size)
        sums = (func.sum(calls.told["calls"]), *(func.sum(calls.told[name]) for name in ("cut", *COUNTERS)))
        wanted = calls.wanted if accounts is None else (*calls.wanted, calls.table.c.account_id.in_(accounts))
        rows = await session.execute(select(*keys, *sums).where(*wanted).group_by(*keys))
        found += [_read_sum(row) for row in rows]
    return found


def _read_sum(row: Any) -> Sum:
    """The sum of this row. A model and a group that cannot be read count as unknown: no cost is left out.

    Raises:
        DamagedRowError: a number of it cannot be read.
    """
    group, model, *rest = row
    for value in rest:
        if not isinstance(value, int):
            raise refuse_sums("calls")
    known = model if isinstance(model, str) else UNKNOWN_MODEL
    unknown = UNKNOWN_MODEL if group == model else ""
    return Sum(group if isinstance(group, str) else unknown, known, *rest)


def refuse_sums(column: str) -> DamagedRowError:
    """A sum cannot be read, or is not that of the other table: the amount is unknown."""
    reading = Reading(USAGE_ACCOUNT.name, "(without an id)")
    reading.note(column, "it is not what the ledger says", 0)
    return DamagedRowError(reading.damage[0])


def _stored(value: Any) -> Any:
    """Return a parameter that equals this value in SQLite, also for a text that is no UTF-8."""
    return cast(literal(value.raw, LargeBinary), Text) if isinstance(value, Unreadable) else value


async def list_models(session: AsyncSession, owner: str) -> tuple[str, ...]:
    """Every model that this owner ever called."""
    # Each found by one seek behind the one before: going through all of the ledger's index would take long.
    of_owner = LEDGER.c.owner == owner
    behind = select(func.min(LEDGER.c.model)).where(of_owner)
    found: list[str] = []
    while (model := (await session.execute(behind)).scalar_one()) is not None:
        if isinstance(model, str):
            found.append(model)
        behind = select(func.min(LEDGER.c.model)).where(of_owner, LEDGER.c.model > _stored(model))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Calls:
    """Rows that stand for calls: which are `wanted`, what their price depends on, and what each of them told."""

    table: Table
    day: ColumnElement[str]
    model: ColumnElement[str]
    era: ColumnElement[int]
    part: ColumnElement[int]
    size: ColumnElement[int]
    told: dict[str, ColumnElement[int]]
    wanted: tuple[ColumnElement[bool], ...]


def calls_of(owner: str, asked: UsageQuery, apart: Apart, *, by_account: bool) -> list[Calls]:
    """Where the calls asked for are found: in a table of sums, and those that need it in the ledger."""
    found = [_kept_sums(owner, asked, apart, by_account=by_account)]
    return [*found, _entered(owner, asked, apart)] if apart.models else found


def _kept_sums(owner: str, asked: UsageQuery, apart: Apart, *, by_account: bool) -> Calls:
    table = USAGE_ACCOUNT if by_account or asked.account_id is not None else USAGE_DAY
    day: ColumnElement[str] = table.c.day
    wanted = [table.c.owner == owner, *_limit(table, asked)]
    if asked.first is not None:
        wanted.append(day >= asked.first.isoformat())
    if asked.last is not None:
        wanted.append(day <= asked.last.isoformat())
    if apart.models:
        wanted.append(table.c.model.not_in(apart.models))
    return Calls(
        table,
        day,
        table.c.model,
        count_reached(day, _texts(apart.days)),
        table.c.part,
        count_reached(table.c["size"], list(apart.sizes)),
        {name: table.c[name] for name in ("calls", "cut", *COUNTERS)},
        tuple(wanted),
    )


def _entered(owner: str, asked: UsageQuery, apart: Apart) -> Calls:
    day = func.substr(LEDGER.c.started_at, 1, 10)  # as the text that it is
    wanted = [LEDGER.c.owner == owner, LEDGER.c.model.in_(apart.models), *_limit(LEDGER, asked)]
    if asked.first is not None:
        wanted.append(LEDGER.c.started_at >= _midnight(asked.first))
    if asked.last is not None:
        wanted.append(LEDGER.c.started_at < _midnight(asked.last + timedelta(1)))
    counters = {name: func.coalesce(clean(LEDGER.c[name]), 0) for name in COUNTERS}
    return Calls(
        LEDGER,
        day,
        LEDGER.c.model,
        count_reached(day, _texts(apart.days)),
        count_reached(time_of_day(LEDGER), list(map(clock, apart.minutes))),
        count_reached(prompt_tokens(LEDGER), [step + 1 for step in apart.steps]),
        {"calls": literal(1), "cut": cut_short(LEDGER), **counters},
        tuple(wanted),
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


def _limit(table: Table, asked: UsageQuery) -> list[ColumnElement[bool]]:
    named = {"model": asked.model, "purpose": asked.purpose, "account_id": asked.account_id}
    wanted = [table.c[name] == value for name, value in named.items() if value is not None]
    if asked.agent_id is not None:
        wanted.append(func.coalesce(table.c.agent_id, "") == asked.agent_id)
    return wanted


def _texts(days: Iterable[date]) -> list[str]:
    return [day.isoformat() for day in days]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
