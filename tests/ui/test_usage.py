"""The usage report."""

from __future__ import annotations

from app.domain.costs.spending import Spent
from app.runs.usage.usage import Group, Report
from app.state.usage.report import UsageState
from app.state.usage.report_view import build_report
from app.ui.pages.usage import usage
from tests.ui.drawn import draw

SPENT = Spent(calls=1)


def test_report_draws_a_row_for_each_of_several_deleted_conversations() -> None:
    by_day = Report((Group("2026-05-01", SPENT),), SPENT, Spent(), 0)
    by_conversation = Report((Group("a", SPENT), Group("b", SPENT)), SPENT, Spent(), 0)
    report = build_report(by_day, "day", by_conversation, "conversation", {})

    page = draw(usage, {UsageState: {"report": report}})

    assert page.text.count("A deleted or temporary conversation") == 2
