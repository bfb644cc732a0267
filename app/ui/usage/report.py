"""The usage report: menus of its period and grouping, totals, a chart, and a table with a download as CSV."""

from __future__ import annotations

from collections.abc import Mapping

import reflex as rx

from app.state.usage.chart import ChartView
from app.state.usage.labels import CACHE_READ, CACHE_WRITE, INPUT, OUTPUT, FigureView
from app.state.usage.report import MEASURES, PERIODS, UsageState
from app.state.usage.report_view import GROUPS, UsageRow
from app.ui.kit.controls.page_link import PageLink
from app.ui.usage.chart import usage_chart
from app.ui.usage.facts import facts
from app.ui.usage.table import column, options, scrolled_table

_COLUMNS = ("Cost", "Requests", INPUT, CACHE_READ, CACHE_WRITE, OUTPUT, "Saved")


def report() -> rx.Component:
    """Draw the usage report, or a text while it is calculated or if nothing was sent."""
    return rx.el.section(
        _head(),
        rx.cond(
            UsageState.report,
            rx.cond(
                UsageState.report.empty,
                rx.el.p(
                    "Nothing was sent in this period. The cost of each request will be added up here.",
                    class_name="usage-note",
                ),
                _found(),
            ),
            rx.el.p("Calculating…", role="status", class_name="usage-note"),
        ),
        aria_labelledby="usage-title",
        class_name="usage",
    )


def _head() -> rx.Component:
    groups: Mapping[str, str] = {str(name): label for name, label in GROUPS.items()}
    return rx.el.header(
        rx.el.h2("Spending", id="usage-title"),
        rx.el.label(
            "Period ",
            rx.el.select(
                *options(PERIODS), aria_label="Period", value=UsageState.period, on_change=UsageState.choose_period
            ),
        ),
        rx.el.label(
            "Group by ",
            rx.el.select(
                *options(groups), aria_label="Group by", value=UsageState.group, on_change=UsageState.choose_group
            ),
        ),
        rx.el.a(
            "Download as CSV",
            href=UsageState.export_link,
            download=True,
            reload_document=True,  # otherwise React Router searches for a page at this address
            class_name="quiet",
        ),
        class_name="usage-head",
    )


def _found() -> rx.Component:
    return rx.fragment(
        facts(UsageState.report.facts.to(tuple[FigureView, ...])),
        usage_chart(
            chart=rx.cond(UsageState.measure == "tokens", UsageState.report.tokens, UsageState.report.cost).to(
                ChartView
            ),
            choice=_measures(),
        ),
        _table(),
    )


def _measures() -> rx.Component:
    return rx.el.span(
        *[
            rx.el.button(
                label,
                type="button",
                aria_pressed=UsageState.measure == measure,
                on_click=UsageState.show_measure(measure),
            )
            for measure, label in MEASURES.items()
        ],
        role="group",
        aria_label="Measure of the chart",
        class_name="chart-choice",
    )


def _table() -> rx.Component:
    return scrolled_table(
        rx.el.thead(
            rx.el.tr(rx.el.th(UsageState.report.group_label, scope="col"), *[column(label) for label in _COLUMNS])
        ),
        rx.el.tbody(
            rx.foreach(UsageState.report.rows, lambda row: usage_row(row=row, key=row.key)),
            rx.cond(UsageState.report.others, usage_row(row=UsageState.report.others)),
        ),
        rx.el.tfoot(usage_row(row=UsageState.report.total)),
        caption="Usage by group",
        label="Table of usage",
    )


@rx.memo
def usage_row(row: rx.vars.ObjectVar[UsageRow], rest: rx.RestProp) -> rx.Component:
    """Draw a row of the report's table: a group with its cost and usage."""
    name = rx.el.span(row.name, title=row.title)
    return rx.el.tr(
        rest,
        rx.el.th(rx.cond(row.link != "", PageLink.create(row.name, to=row.link), name), scope="row"),
        rx.el.td(rx.el.b(row.cost)),
        *[
            rx.el.td(figure)
            for figure in (row.requests, row.input, row.cache_read, row.cache_write, row.output, row.saved)
        ],
    )
