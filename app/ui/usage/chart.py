"""The bar chart of the usage report, drawn as SVG.

Recharts, which comes with Reflex, is not used: with it, the scripts of this page would be 92 KB (brotli) instead of 5
KB.
"""

from __future__ import annotations

import reflex as rx

from app.state.usage.chart import HEIGHT, BarView, ChartView, KindView, SegmentView


def usage_chart(chart: rx.vars.ObjectVar[ChartView], choice: rx.Component) -> rx.Component:
    """Draw the chart of the usage report with its caption and legend. `choice` is the control for cost or tokens."""
    return rx.el.figure(
        rx.el.figcaption(rx.el.span(chart.caption), choice),
        rx.el.div(
            rx.el.span(chart.most, aria_hidden="true", class_name="chart-most"),
            rx.el.svg(
                rx.foreach(chart.bars, lambda bar: chart_bar(bar=bar, key=bar.title)),
                view_box=f"0 0 100 {HEIGHT}",
                height=HEIGHT,
                role="img",
                aria_label=chart.description,
                custom_attrs={"preserveAspectRatio": "none"},
            ),
            rx.el.div(rx.el.span(chart.first), rx.el.span(chart.last), aria_hidden="true", class_name="chart-ends"),
            class_name="chart-plot",
        ),
        rx.el.ul(rx.foreach(chart.kinds, _kind), aria_label="Legend", class_name="chart-kinds"),
        class_name="chart",
    )


@rx.memo
def chart_bar(bar: rx.vars.ObjectVar[BarView], rest: rx.RestProp) -> rx.Component:
    """Draw the bar of a day or a month. Hovering anywhere in its column shows its figures.

    Numbers are passed as text because Reflex's types of SVG do not allow fractions.
    """
    return rx.el.svg.g(
        rest,
        rx.el.svg.title(bar.title),
        rx.el.svg.rect(x=bar.left.to(str), width=bar.width.to(str), y=0, height=HEIGHT, class_name="chart-hit"),
        rx.foreach(bar.segments, lambda segment: _segment(bar, segment)),
    )


def _segment(bar: rx.vars.ObjectVar[BarView], segment: rx.vars.ObjectVar[SegmentView]) -> rx.Component:
    return rx.el.svg.rect(
        x=bar.bar_left.to(str),
        width=bar.bar_width.to(str),
        y=segment.y.to(str),
        height=segment.height.to(str),
        custom_attrs={"data-kind": segment.kind},
    )


def _kind(kind: rx.vars.ObjectVar[KindView]) -> rx.Component:
    return rx.el.li(rx.el.i(aria_hidden="true", custom_attrs={"data-kind": kind.kind}), kind.label)
