"""The view of the report: totals, two charts and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.costs.spending import Spent
from app.runs.usage.usage import Group, Report
from app.state.tab.address import conversation_path
from app.state.usage.chart import ChartView, Unit, build_chart
from app.state.usage.labels import (
    UNTITLED,
    FigureView,
    charge_alone,
    count_partly,
    describe_purpose,
    describe_saving,
    label_saving,
)
from app.store.ledger.usage import GroupBy
from app.views.usage.figures import number, plural, short

GROUPS: Final[Mapping[GroupBy, str]] = MappingProxyType(
    {
        "model": "Model",
        "conversation": "Conversation",
        "purpose": "Purpose",
        "agent": "Agent",
        "day": "Day",
        "month": "Month",
    }
)
"""The groupings of the table, with the label of its first column."""


@dataclass(frozen=True)
class UsageRow:
    """A row of the report. `key` identifies it in the table: several rows can have the same `name`.

    `link` is the address of a conversation, `title` the tooltip; each is "" for none.
    """

    key: str
    name: str
    link: str
    title: str
    cost: str
    requests: str
    input: str
    cache_read: str
    cache_write: str
    output: str
    saved: str


@dataclass(frozen=True)
class ReportView:
    """The report. `empty`: there is no usage. `group_label` is the head of the first column of the table.

    `others` is the sum of the groups that are not shown, None if all are shown.
    """

    empty: bool
    group_label: str
    facts: tuple[FigureView, ...]
    cost: ChartView
    tokens: ChartView
    rows: tuple[UsageRow, ...]
    others: UsageRow | None
    total: UsageRow


def build_report(time: Report, unit: Unit, groups: Report, group_by: GroupBy, names: Mapping[str, str]) -> ReportView:
    """Build the report that the page shows.

    - `time` has the sums by `unit`, for the charts.
    - `groups` has the sums by `group_by`, for the table.
    - `names` has the names of agents or models by id.
    """
    total = groups.total
    bars = [(group.name, group.spent) for group in time.groups]
    return ReportView(
        empty=not total.calls,
        group_label=GROUPS[group_by],
        facts=_list_facts(total),
        cost=build_chart("cost", unit, bars),
        tokens=build_chart("tokens", unit, bars),
        rows=tuple(_describe_group(group, group_by, names) for group in groups.groups),
        others=_describe_row(plural(groups.more, "other"), groups.others) if groups.more else None,
        total=_describe_row("Total", total),
    )


def _describe_cut(requests: int) -> str:
    if not requests:
        return ""
    return f"{number(requests)} {'was' if requests == 1 else 'were'} cut short"


def _list_facts(total: Spent) -> tuple[FigureView, ...]:
    usage = total.usage
    prompt = usage.prompt_tokens
    unknown = "Partly unknown: a model without a price, or a request that was cut short"
    return (
        FigureView("Cost", charge_alone(total), unknown if total.cost.at_least else ""),
        FigureView(label_saving(total.saved), describe_saving(total.saved), "Compared with the same requests uncached"),
        FigureView("Requests", number(total.calls), _describe_cut(total.cut)),
        FigureView(
            "Input tokens",
            count_partly(prompt, total, short),
            f"{round(100 * usage.cache_read_tokens / prompt)} % from the cache" if prompt else "",
        ),
        FigureView(
            "Output tokens",
            count_partly(usage.output_tokens, total, short),
            f"{short(usage.reasoning_tokens)} of them reasoning" if usage.reasoning_tokens else "",
        ),
    )


def _describe_group(group: Group, group_by: GroupBy, names: Mapping[str, str]) -> UsageRow:
    spent, key = group.spent, f"{group_by} {group.name}"
    if group_by == "conversation":
        if group.title is None:
            return _describe_row("A deleted or temporary conversation", spent, key=key)
        return _describe_row(group.title or UNTITLED, spent, key=key, link=conversation_path(group.name))
    if group_by == "purpose":
        return _describe_row(describe_purpose(group.name), spent, key=key)
    if group_by == "agent":
        return _describe_row(names.get(group.name, group.name) or "No agent", spent, key=key, title=group.name)
    return _describe_row(names.get(group.name, group.name), spent, key=key, title=group.name)


def _describe_row(name: str, spent: Spent, *, key: str = "", link: str = "", title: str = "") -> UsageRow:
    usage = spent.usage
    return UsageRow(
        key=key,
        name=name,
        link=link,
        title=title,
        cost=charge_alone(spent),
        requests=number(spent.calls),
        input=count_partly(usage.input_tokens, spent, short),
        cache_read=short(usage.cache_read_tokens),
        cache_write=short(usage.cache_write_tokens + usage.cache_write_1h_tokens),
        output=count_partly(usage.output_tokens, spent, short),
        saved=describe_saving(spent.saved),
    )
