from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from app.domain.costs.costs import Cost
from app.domain.costs.spending import Spent
from app.domain.usage import Usage
from app.runs.agents.agent_commands import AgentFields, create_agent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.usage import Group, Report
from app.state.usage.chart import HEIGHT, build_chart
from app.state.usage.report import UsageState
from app.state.usage.report_view import ReportView, build_report
from tests.state.conftest import Tab
from tests.state.usage.spending import MODEL, send, talk


def today() -> date:
    """Return the day on which a test runs; a run may pass midnight."""
    return datetime.now(UTC).date()


def report_of(tab: Tab) -> ReportView:
    return tab.shows(UsageState, "report")


async def test_report_adds_up_by_model_with_a_bar_for_each_day(ctx: AppContext, tab: Tab) -> None:
    await talk(ctx, "/echo one", "/echo two")

    await tab.send(UsageState.load)

    report = report_of(tab)
    assert not report.empty
    assert [(row.name, row.title, row.requests) for row in report.rows] == [("Offline tiny", MODEL, "2")]
    assert report.total.cost == report.facts[0].value == report.rows[0].cost
    assert report.total.cost.startswith("$0.")
    assert len(report.cost.bars) == 30
    assert [bool(bar.segments) for bar in report.cost.bars] == [False] * 29 + [True]
    assert (report.cost.first, report.cost.last) == ((today() - timedelta(29)).isoformat(), today().isoformat())
    assert tab.shows(UsageState, "measure") == "cost"


async def test_empty_report_is_labelled(tab: Tab) -> None:
    await tab.send(UsageState.load)

    assert report_of(tab).empty


async def test_free_models_are_charted_by_tokens_until_a_measure_is_chosen(ctx: AppContext, tab: Tab) -> None:
    await talk(ctx, "/echo one", priced=False)

    await tab.send(UsageState.load)
    assert tab.shows(UsageState, "measure") == "tokens"

    await tab.send(UsageState.show_measure, measure="cost")
    await tab.send(UsageState.load)
    assert tab.shows(UsageState, "measure") == "cost"


async def test_chart_shows_only_what_can_be_measured(tab: Tab) -> None:
    await tab.send(UsageState.show_measure, measure="bananas")

    assert tab.shows(UsageState, "measure") == "cost"


async def test_conversations_are_named_and_linked_unless_they_are_gone(ctx: AppContext, tab: Tab) -> None:
    kept = await talk(ctx, "/echo one", "/echo two", title="Kept")
    gone = await talk(ctx, "/echo one", title="Gone")
    await delete_conversation(ctx, LOCAL_OWNER, gone)

    await tab.send(UsageState.choose_group, group="conversation")

    report = report_of(tab)
    assert report.group_label == "Conversation"
    assert (report.rows[0].name, report.rows[0].link) == ("Kept", f"/c/{kept}")


async def test_rows_of_deleted_conversations_have_different_keys(ctx: AppContext, tab: Tab) -> None:
    for _ in range(2):
        await delete_conversation(ctx, LOCAL_OWNER, await talk(ctx, "/echo one"))

    await tab.send(UsageState.choose_group, group="conversation")

    rows = report_of(tab).rows
    assert len({row.name for row in rows}) == 1
    assert len({row.key for row in rows}) == len(rows) == 2


def test_tokens_are_at_least_these_if_a_request_was_cut_short() -> None:
    cut = Spent(calls=3, cut=2, usage=Usage(8_000, 564))
    nothing = Spent(calls=1, cut=1)
    by_model = Report((Group("a", cut), Group("b", nothing)), cut, Spent(), 0)

    report = build_report(Report((Group("2026-05-01", cut),), cut, Spent(), 0), "day", by_model, "model", {})

    assert [(fact.label, fact.value) for fact in report.facts][-2:] == [
        ("Input tokens", "at least 8,000"), ("Output tokens", "at least 564")
    ]  # fmt: skip
    assert [(row.input, row.output) for row in (*report.rows, report.total)] == [
        ("at least 8,000", "at least 564"),
        ("not reported", "not reported"),
        ("at least 8,000", "at least 564"),
    ]
    assert report.tokens.bars[0].title == "2026-05-01: at least 8,564, 3 requests"


async def test_purposes_and_agents_are_named_in_words(ctx: AppContext, tab: Tab) -> None:
    await talk(ctx, "/echo two")
    agent = await create_agent(ctx, LOCAL_OWNER, AgentFields(name="Scout"))
    conversation = await create_conversation(ctx, LOCAL_OWNER, model=MODEL)
    await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(agent_id=agent.id))
    await send(ctx, conversation.id, "/echo one")

    await tab.send(UsageState.choose_group, group="purpose")
    assert [row.name for row in report_of(tab).rows] == ["Reply"]

    await tab.send(UsageState.choose_group, group="agent")
    assert {row.name for row in report_of(tab).rows} == {"Scout", "No agent"}


@pytest.mark.parametrize(
    ("period", "unit", "days"),
    [("7", "day", 7), ("365", "month", 365), ("all", "month", None)],
)
async def test_period_decides_bars_and_export(
    ctx: AppContext, tab: Tab, period: str, unit: str, days: int | None
) -> None:
    await talk(ctx, "/echo one")

    await tab.send(UsageState.choose_period, period=period)

    assert report_of(tab).cost.caption == f"Cost by {unit}, UTC"
    assert tab.shows(UsageState, "period") == period
    query = "" if days is None else f"&from={today() - timedelta(days - 1)}&to={today()}"
    assert tab.shows(UsageState, "export_link") == f"/api/v1/usage/export?group_by=model{query}"


async def test_unknown_period_or_group_changes_nothing(tab: Tab) -> None:
    await tab.send(UsageState.choose_period, period="1; drop")
    await tab.send(UsageState.choose_group, group="secrets")

    assert (tab.shows(UsageState, "period"), tab.shows(UsageState, "group")) == ("30", "model")
    assert report_of(tab) is None


def test_bars_are_stacked_up_to_the_highest_and_never_above_the_chart() -> None:
    days = [
        ("2026-05-01", Spent(calls=1, usage=Usage(100, 20, 30, 4, 6))),
        ("2026-05-02", Spent()),
        ("2026-05-03", Spent(calls=2, usage=Usage(10, 2))),
    ]

    chart = build_chart("tokens", "day", days)

    first, empty, last = chart.bars
    assert [segment.kind for segment in first.segments] == ["0", "1", "2", "3"]
    assert first.segments[0].y + first.segments[0].height == HEIGHT
    assert first.segments[-1].y == 4
    assert empty.segments == ()
    assert empty.title == "2026-05-02: nothing"
    assert sum(segment.height for segment in last.segments) == pytest.approx((HEIGHT - 4) * 12 / 160, abs=0.02)
    assert last.left + last.width == pytest.approx(100, abs=0.01)
    assert [kind.label for kind in chart.kinds] == ["Output", "Input", "Cache write", "Cache read"]
    assert chart.description == "Tokens by day: 172 in total, 160 at most. The table has every figure."


def test_costs_are_charted_in_dollars() -> None:
    chart = build_chart("cost", "month", [("2026-05", Spent(calls=1, cost=Cost(Decimal("1.5"))))])

    assert (chart.most, chart.bars[0].title) == ("$1.50", "2026-05: $1.50, 1 request")
