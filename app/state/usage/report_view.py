"""The report as the page shows it: totals, two charts, and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.costs.spending import Spent
from app.language.translation import translate
from app.runs.usage.usage import Group, Report
from app.state.address import conversation_path
from app.state.usage.chart import ChartView, Unit, build_chart
from app.state.usage.labels import (
    UNTITLED,
    FactView,
    describe_charge,
    describe_purpose,
    describe_saving,
    label_saving,
)
from app.store.ledger.usage import GroupBy
from app.views.figures import number, plural, short

GROUPS: Final[Mapping[GroupBy, str]] = MappingProxyType(
    {
        "model": "common.model",
        "conversation": "common.conversation",
        "purpose": "usage.purpose",
        "agent": "common.agent",
        "day": "common.day",
        "month": "common.month",
    }
)
"""What the table may be grouped by, with the label of its first column."""


@dataclass(frozen=True)
class UsageRow:
    """A line of the table. `link` is the conversation's address, `title` what the pointer is told; "" if none."""

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
    """`group_label` heads the first column. `others` sums the groups that are not shown, None if all are."""

    empty: bool
    group_label: str
    facts: tuple[FactView, ...]
    cost: ChartView
    tokens: ChartView
    rows: tuple[UsageRow, ...]
    others: UsageRow | None
    total: UsageRow


def build_report(time: Report, unit: Unit, groups: Report, group_by: GroupBy, agents: Mapping[str, str]) -> ReportView:
    """`time` is the report by `unit`, `groups` that of the table; `agents` are names by id."""
    total = groups.total
    bars = [(group.name, group.spent) for group in time.groups]
    return ReportView(
        empty=not total.calls,
        group_label=translate(GROUPS[group_by]),
        facts=_list_facts(total),
        cost=build_chart("cost", unit, bars),
        tokens=build_chart("tokens", unit, bars),
        rows=tuple(_describe_group(group, group_by, agents) for group in groups.groups),
        others=_describe_row(plural(groups.more, "other"), groups.others) if groups.more else None,
        total=_describe_row(translate("usage.total"), total),
    )


def _list_facts(total: Spent) -> tuple[FactView, ...]:
    usage = total.usage
    prompt = usage.prompt_tokens
    unknown = translate("usage.cost_incomplete")
    return (
        FactView(translate("common.cost"), describe_charge(total), unknown if total.cost.at_least else ""),
        FactView(label_saving(total.saved), describe_saving(total.saved), translate("usage.cache_saving_hint")),
        FactView(
            translate("common.requests"),
            number(total.calls),
            translate("usage.were_cut_short", cut=number(total.cut)) if total.cut else "",
        ),
        FactView(
            translate("usage.input_tokens_text"),
            short(prompt),
            translate("usage.from_the_cache", round=round(100 * usage.cache_read_tokens / prompt)) if prompt else "",
        ),
        FactView(
            translate("usage.output_tokens"),
            short(usage.output_tokens),
            translate("usage.of_them_reasoning", short=short(usage.reasoning_tokens)) if usage.reasoning_tokens else "",
        ),
    )


def _describe_group(group: Group, group_by: GroupBy, agents: Mapping[str, str]) -> UsageRow:
    if group_by == "conversation":
        if group.title is None:
            return _describe_row(translate("usage.conversation_gone"), group.spent)
        return _describe_row(group.title or translate(UNTITLED), group.spent, link=conversation_path(group.name))
    if group_by == "purpose":
        return _describe_row(describe_purpose(group.name), group.spent)
    if group_by == "agent":
        return _describe_row(
            agents.get(group.name, group.name) or translate("common.no_agent"), group.spent, title=group.name
        )
    return _describe_row(group.name, group.spent, title=group.name)


def _describe_row(name: str, spent: Spent, *, link: str = "", title: str = "") -> UsageRow:
    usage = spent.usage
    return UsageRow(
        name=name,
        link=link,
        title=title,
        cost=describe_charge(spent),
        requests=number(spent.calls),
        input=short(usage.input_tokens),
        cache_read=short(usage.cache_read_tokens),
        cache_write=short(usage.cache_write_tokens + usage.cache_write_1h_tokens),
        output=short(usage.output_tokens),
        saved=describe_saving(spent.saved),
    )
