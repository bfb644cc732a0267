"""Usage and cost by day, model, purpose, agent or conversation, priced at the time of each call.

    report = await report_usage(ctx, LOCAL_OWNER, UsageQuery(first=date(2026, 5, 1)), "model")
    report.total.cost

Every report is computed from the ledger, so a corrected price also corrects earlier reports.

Not here: the calls of one conversation (`accounts.py`) and budgets (`budgets.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.costs.prices import Tariff
from app.domain.costs.spending import Spent, add_up
from app.domain.models.model_profile import Prices
from app.runs.app_context import AppContext
from app.runs.usage.prices import learn_tariffs
from app.store.conversation.lists import load_titles
from app.store.ledger.most_expensive import find_most_expensive
from app.store.ledger.usage import (
    Apart,
    GroupBy,
    Place,
    PriceGroupTotal,
    UsageQuery,
    keep_apart,
    refuse_sums,
    sum_calls,
)

EMPTY = timedelta(366)
"""Maximum length of a period without calls that a report by day shows at its beginning or its end."""
IN_ORDER = frozenset({"day", "month"})
"""Groupings that are sorted by name. In all others, the most expensive group is first."""


@dataclass(frozen=True, slots=True)
class Group:
    """The usage of one group of calls, such as those of a day, a model or a conversation.

    - `name`: the value that the calls were grouped by, such as a model or the id of a conversation.
    - `title`: the title of the conversation, if the group is a conversation that still exists.
    """

    name: str
    spent: Spent
    title: str | None = None


@dataclass(frozen=True, slots=True)
class _PricedSums:
    """Sums of calls, with the data to price them.

    - `tariffs`: the tariffs of the models, by model.
    - `apart`: the rule by which calls with different prices were summed separately.
    """

    sums: Sequence[PriceGroupTotal]
    tariffs: Mapping[str, Tariff | None]
    apart: Apart

    def prices_at(self, place: Place) -> Prices | None:
        """Return the prices that all calls at this `place` have, or None if they are unknown.

        A place identifies the calls that were summed together because they have equal prices.
        """
        model, era, part, size = place
        tariff = self.tariffs.get(model)
        if tariff is None:
            return None
        return tariff.prices_at(self.apart.at(model, era, part), self.apart.prompt(model, size))

    def list_spent(self) -> dict[str, Spent]:
        """Return the usage and cost of each group. A price is looked up once for all calls that share it."""
        together: dict[str, list[tuple[Place, tuple[int, ...]]]] = {}
        for one in self.sums:
            together.setdefault(one.group, []).append((one.place, one.counters))
        prices = {place: self.prices_at(place) for place in {one.place for one in self.sums}}
        return {
            group: add_up((prices[place], counters) for place, counters in counted)
            for group, counted in together.items()
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Usage by group. `others` is the sum of the groups beyond the limit, `more` is the number of these groups."""

    groups: tuple[Group, ...]
    total: Spent
    others: Spent
    more: int


async def report_usage(
    ctx: AppContext, owner: str, query: UsageQuery, group_by: GroupBy, limit: int | None = None
) -> Report:
    """Report the usage by group, with at most `limit` groups; None: all groups."""
    first = "model" if group_by == "conversation" and limit is not None else group_by
    unknown = frozenset[str]()
    while True:  # until the tariffs of all models in the sums are known; one round is usually enough
        tariffs = dict(await learn_tariffs(ctx, owner, unknown))
        apart = keep_apart(tariffs.items())
        async with ctx.store.read() as session:
            sums = await sum_calls(session, owner, query, first, apart)
            unknown = frozenset(one.model for one in sums) - tariffs.keys()
            if not unknown:
                return await _report(session, owner, query, group_by, limit, _PricedSums(sums, tariffs, apart))


async def _report(  # noqa: PLR0913, PLR0917 - the query and its sums
    session: AsyncSession, owner: str, query: UsageQuery, group_by: GroupBy, limit: int | None, priced: _PricedSums
) -> Report:
    if group_by == "conversation" and limit is not None:
        return await _report_dearest(session, owner, query, limit, priced)
    spent = await asyncio.to_thread(priced.list_spent)
    names = _arrange(spent, group_by, query)
    shown, rest = names[:limit], [] if limit is None else names[limit:]
    titles = await load_titles(session, owner, shown) if group_by == "conversation" else {}
    groups = tuple(Group(name, spent.get(name, Spent()), titles.get(name)) for name in shown)
    others = sum((spent[name] for name in rest), start=Spent())
    total = sum((group.spent for group in groups), start=others)
    return Report(groups, total, others, len(rest))


async def _report_dearest(
    session: AsyncSession, owner: str, query: UsageQuery, limit: int, by_model: _PricedSums
) -> Report:
    """Report by conversation. There may be tens of thousands, so the database selects the most expensive conversations.

    The sum of the other conversations is the total minus the shown ones. The calls of each price are subtracted
    separately, so the sum is exact to the last digit.

    Raises:
        DamagedRowError: the two tables of sums contradict each other.
    """
    everything, apart = by_model.sums, by_model.apart
    prices = {one.place: by_model.prices_at(one.place) for one in everything}
    dearest = await find_most_expensive(session, owner, query, apart, prices, limit=limit)
    sums = await sum_calls(session, owner, query, "conversation", apart, accounts=dearest.names)
    titles = await load_titles(session, owner, dearest.names)
    spent = replace(by_model, sums=sums).list_spent()
    names = _arrange(spent, "conversation", query)
    left = {one.place: list(one.counters) for one in everything}
    for one in sums:
        if one.place not in left:
            raise refuse_sums("model")
        left[one.place] = [all_ - shown for all_, shown in zip(left[one.place], one.counters, strict=True)]
    others = add_up((prices[place], counters) for place, counters in left.items())
    total = add_up((prices[one.place], one.counters) for one in everything)
    groups = tuple(Group(name, spent[name], titles.get(name)) for name in names)
    return Report(groups, total, others, dearest.count - len(groups))


def _arrange(spent: Mapping[str, Spent], group_by: GroupBy, query: UsageQuery) -> list[str]:
    if group_by == "day" and spent:
        if not all(map(_is_day, spent)):  # the stored sums are damaged, so the days without usage are not added
            return sorted(spent)
        return _every_day(min(spent), max(spent), query)
    if group_by in IN_ORDER:
        return sorted(spent)
    return sorted(spent, key=lambda name: (-spent[name].cost.amount, -spent[name].usage.all_tokens, name))


def _is_day(name: str) -> bool:
    try:
        date.fromisoformat(name)
    except ValueError:
        return False
    return True


def _every_day(first: str, last: str, query: UsageQuery) -> list[str]:
    """List all days of the report, including days without a call, because a gap would make a chart misleading.

    At either end, at most a year without a call is included.
    """
    oldest, newest = date.fromisoformat(first), date.fromisoformat(last)
    begin = oldest if query.first is None else min(oldest, max(query.first, oldest - EMPTY))
    end = newest if query.last is None else min(query.last, newest + EMPTY)
    return [(begin + timedelta(days)).isoformat() for days in range((end - begin).days + 1)]
