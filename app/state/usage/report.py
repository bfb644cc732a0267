"""The report on the Usage page: the tokens and costs of a period, as a chart and a table."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Final, cast
from urllib.parse import urlencode

import reflex as rx

from app.runs.agents.agent_commands import list_agents
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.usage import report_usage
from app.state.usage.chart import Unit
from app.state.usage.report_view import GROUPS, ReportView, build_report
from app.store.ledger.usage import GroupBy, UsageQuery

ALL_TIME: Final = "all"
PERIODS: Final[Mapping[str, str]] = MappingProxyType(
    {"7": "7 days", "30": "30 days", "90": "90 days", "365": "a year", ALL_TIME: "all time"}
)
"""The periods of the report: a number of UTC days up to today, or `ALL_TIME`."""
MEASURES: Final[Mapping[str, str]] = MappingProxyType({"cost": "Cost", "tokens": "Tokens"})
"""The measures that the chart can show, with their labels."""

_MAX_DAYS: Final = 120
"""Maximum days of a period with one bar per day. A longer period has one bar per month."""
_MAX_ROWS: Final = 100
_EXPORT: Final = "/api/v1/usage/export"


class UsageState(rx.State):
    """The report on the Usage page. `report` is None until it is read.

    - `period`: a key of `PERIODS`.
    - `group`: the key of `GROUPS` by which the table is grouped.
    - `measure`: the key of `MEASURES` that the chart shows.
    - `export_link`: the address of the table as CSV, with all rows.
    """

    period: rx.Field[str] = rx.field("30")
    group: rx.Field[str] = rx.field("model")
    measure: rx.Field[str] = rx.field("cost")
    report: rx.Field[ReportView | None] = rx.field(None)
    export_link: rx.Field[str] = rx.field(_EXPORT)
    _measure_chosen: bool = False
    _turn: int = 0

    @rx.event(background=True)
    async def load(self) -> None:
        """Read and show the report."""
        await self._read({})

    @rx.event(background=True)
    async def choose_period(self, period: str) -> None:
        """Show the report for this period, a key of `PERIODS`."""
        if period in PERIODS:
            await self._read({"period": period})

    @rx.event(background=True)
    async def choose_group(self, group: str) -> None:
        """Group the table by this key of `GROUPS`."""
        if group in GROUPS:
            await self._read({"group": group})

    @rx.event
    async def show_measure(self, measure: str) -> None:
        """Show this measure, a key of `MEASURES`, in the chart."""
        if measure in MEASURES:
            self.measure, self._measure_chosen = measure, True

    async def _read(self, choice: Mapping[str, str]) -> None:
        """Apply this choice and read the report. If a newer call began meanwhile, the result is dropped."""
        today = datetime.now(UTC).date()
        async with self:
            self.period, self.group = choice.get("period", self.period), choice.get("group", self.group)
            self._turn += 1
            turn, period, group = self._turn, self.period, cast("GroupBy", self.group)
            query = _query_of(period, today)
            self.export_link = _link_export(group, query)
        report = await _report(query, group, _unit_of(period))
        async with self:
            if turn == self._turn:
                self.report = report
                if not self._measure_chosen:  # the chart of costs has no bars if there are no costs
                    self.measure = "cost" if any(bar.segments for bar in report.cost.bars) else "tokens"


async def _report(query: UsageQuery, group: GroupBy, unit: Unit) -> ReportView:
    ctx = current()
    time = await report_usage(ctx, LOCAL_OWNER, query, unit)
    limit = None if group in {"day", "month"} else _MAX_ROWS
    groups = time if group == unit else await report_usage(ctx, LOCAL_OWNER, query, group, limit)
    names = {}
    if group == "agent":
        names = {agent.id: agent.name for agent in await list_agents(ctx, LOCAL_OWNER)}
    elif group == "model":
        names = ctx.catalogue.names_of(LOCAL_OWNER, (one.name for one in groups.groups))
    return build_report(time, unit, groups, group, names)


def _query_of(period: str, today: date) -> UsageQuery:
    return UsageQuery() if period == ALL_TIME else UsageQuery(first=today - timedelta(int(period) - 1), last=today)


def _unit_of(period: str) -> Unit:
    return "month" if period == ALL_TIME or int(period) > _MAX_DAYS else "day"


def _link_export(group: GroupBy, query: UsageQuery) -> str:
    days = {} if query.first is None or query.last is None else {"from": query.first, "to": query.last}
    return f"{_EXPORT}?{urlencode({'group_by': group, **days})}"
