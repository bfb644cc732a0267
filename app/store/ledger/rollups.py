"""Rebuilds the stored sums of the ledger (`usage_day` and `usage_account`), and finds differences from the ledger.

A trigger adds every new row of the ledger to both tables in the same transaction (migration 0024). This module computes
the sums by the same rules.

Queries of the sums are in `usage.py`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Insert,
    Integer,
    Select,
    Table,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import NullType

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.costs.costs import BILLED_PERHAPS, COUNT
from app.domain.costs.prices import DAY_MARKS, PROMPT_STEPS
from app.domain.usage import COUNTERS
from app.store.ledger.counts import clean, is_wrong
from app.store.ledger.rows_ledger import LEDGER, USAGE_ACCOUNT, USAGE_DAY

PROMPT = tuple(name for name in COUNTERS if name not in {"output_tokens", "reasoning_tokens"})


async def rebuild_sums(session: AsyncSession) -> None:
    """Compute both tables of sums again from the ledger."""
    for table in (USAGE_DAY, USAGE_ACCOUNT):
        await session.execute(delete(table))
        await session.execute(insert_sums(table))


def insert_sums(table: Table) -> Insert:
    """Return the statement that fills an empty table of sums from the ledger."""
    return insert(table).from_select(_names(table), _sum_ledger(table))


def select_faults(table: Table) -> CompoundSelect[int]:
    """Return the query for the differences between a table of sums and the ledger: wrong or missing sums."""
    kept, made = select(*(table.c[name] for name in _names(table))).subquery(), _sum_ledger(table).subquery()
    one, other = (select(*(type_coerce(column, NullType()) for column in each.c)) for each in (kept, made))
    differing = [first.except_(second).subquery() for first, second in ((one, other), (other, one))]
    return union_all(*(select(literal(1)).select_from(each) for each in differing))


async def find_faults(session: AsyncSession) -> tuple[str, ...]:
    """Return the tables of sums that differ from the ledger. They can differ only if another program wrote to them."""
    tables = (USAGE_DAY, USAGE_ACCOUNT)
    found = {table.name: (await session.execute(select_faults(table))).first() for table in tables}
    return tuple(name for name, fault in found.items() if fault is not None)


def prompt_tokens(table: Table) -> ColumnElement[int]:
    """Return SQL for the number of tokens of a call's prompt, counted as by `Usage.prompt_tokens`."""
    first, *others = (func.coalesce(clean(table.c[name]), 0) for name in PROMPT)
    return sum(others, start=first)


def cut_short(table: Table) -> ColumnElement[int]:
    """Return SQL that is 1 for a call that may have used more than reported, else 0 (see `costs.is_cut_short`)."""
    reported = clean(table.c.input_tokens).is_not(None)
    late = func.coalesce(table.c.error_class, "").in_([str(one) for one in BILLED_PERHAPS])
    cut = case(
        (table.c.purpose == COUNT, literal(value=False)),
        (or_(table.c.report_fault.is_not(None), is_wrong(table)), literal(value=True)),
        (table.c.outcome == Lifecycle.SUCCEEDED, ~reported),
        else_=or_(reported, table.c.outcome == Lifecycle.CANCELED, late),
    )
    return cut.cast(Integer)


def time_of_day(table: Table) -> ColumnElement[str]:
    """Return SQL for the time of day when a call started, in UTC, such as "09:30"."""
    return func.substr(table.c.started_at, 12, 5)


def clock(minute: int) -> str:
    """Return a time of day, given in minutes since midnight, in the format of `time_of_day`, such as "09:30"."""
    return f"{minute // 60:02}:{minute % 60:02}"


def count_reached(value: ColumnElement[Any], marks: list[str] | list[int]) -> ColumnElement[int]:
    """Return SQL for the number of `marks` that are less than or equal to a value."""
    start: ColumnElement[int] = literal(0)
    return sum(((value >= mark).cast(Integer) for mark in marks), start=start)


def _names(table: Table) -> list[str]:
    return [column.name for column in table.c]


def _sum_ledger(table: Table) -> Select[Any]:
    """Select the correct rows of a table of sums from the ledger."""
    made: dict[str, ColumnElement[Any]] = {
        "owner": LEDGER.c.owner,
        "account_id": LEDGER.c.account_id,
        "day": func.substr(LEDGER.c.started_at, 1, 10),
        "model": LEDGER.c.model,
        "purpose": LEDGER.c.purpose,
        "agent_id": func.coalesce(LEDGER.c.agent_id, ""),
        "size": count_reached(prompt_tokens(LEDGER), [step + 1 for step in PROMPT_STEPS]),
        "part": case(
            *(
                (LEDGER.c.model.startswith(f"{vendor}:"), count_reached(time_of_day(LEDGER), list(map(clock, marks))))
                for vendor, marks in DAY_MARKS.items()
            ),
            else_=0,
        ),
    }
    sums: dict[str, ColumnElement[Any]] = {
        "calls": func.count(),
        "cut": func.sum(cut_short(LEDGER)),
        **{name: func.coalesce(func.sum(clean(LEDGER.c[name])), 0) for name in COUNTERS},
    }
    keys = [made[column.name] for column in table.primary_key]
    return select(*((made | sums)[name] for name in _names(table))).group_by(*keys)
