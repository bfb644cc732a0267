"""The estimate of a send: the counter X / Y, the figures beside Send, and their split."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.composer.tooltip import TooltipState
from app.state.composer.views import SplitRow
from app.state.inspector.frame import InspectorState
from app.state.reply.summary import SummaryState
from app.ui.kit.tip import Tip
from app.ui.phrase import phrase

_SPLIT: Any = ComposerState.split


def counter() -> rx.Component:
    """How many of the pairs in view are sent: "12 / 15 pairs", under a filter "2 / 2 of 15 pairs"."""
    return rx.cond(
        ComposerState.split,
        Tip.create(
            _SPLIT.x,
            " ",
            "/ ",
            _SPLIT.y,
            " ",
            rx.el.span(_SPLIT.unit, class_name="counter-unit"),
            label=_SPLIT.counted,
            short=~_SPLIT.all_fit,
            panel=split_panel(),
            panel_label=phrase("composer.what_is_sent"),
            about=_SPLIT.look,
            on_look=TooltipState.look,
            class_name="counter",
        ),
    )


def estimate() -> rx.Component:
    """All that Send would send now: "~1,234 tokens · $0.002", or how far the counting of it is."""
    return rx.cond(ComposerState.counting != "", _counting(), _counted())


def _counting() -> rx.Component:
    # No status: a screen reader would say each of a hundred steps. It reads this where a person looks for it.
    return rx.el.span(
        ComposerState.counting,
        role="progressbar",
        aria_label=phrase("composer.counting_tokens"),
        custom_attrs={"aria-valuetext": ComposerState.counting},
        class_name="estimate counting",
    )


def _counted() -> rx.Component:
    return rx.cond(
        ComposerState.split,
        Tip.create(
            _SPLIT.tokens,
            " ",
            rx.el.span(phrase("composer.tokens"), class_name="estimate-unit"),
            " ",
            rx.el.span("· ", _SPLIT.cost, class_name="estimate-cost"),
            label=phrase("composer.sends_tokens", tokens=_SPLIT.tokens, certainty=_SPLIT.certainty, cost=_SPLIT.cost),
            above=True,
            short=_SPLIT.over,
            panel=split_panel(),
            panel_label=phrase("composer.what_is_sent"),
            about=_SPLIT.look,
            on_look=TooltipState.look,
            class_name="estimate",
        ),
    )


@rx.memo
def split_panel() -> rx.Component:
    """What the tooltip of both says: how a send splits."""
    return rx.fragment(
        rx.el.p(_SPLIT.title, class_name="tip-title"),
        rx.el.dl(
            rx.foreach(_SPLIT.rows, _row),
            rx.el.div(
                rx.el.dt(phrase("composer.sent_now")),
                rx.el.dd(_SPLIT.tokens, " ", rx.el.small(_SPLIT.certainty)),
                class_name="tip-sum",
            ),
            rx.el.div(rx.el.dt(phrase("composer.reserved_for_the_reply")), rx.el.dd(_SPLIT.reserve)),
            rx.el.div(rx.el.dt(f"{phrase('composer.limit')} ", _SPLIT.limited_by), rx.el.dd(_SPLIT.limit)),
            rx.el.div(
                rx.el.dt(phrase("composer.cost_of_reading_it")),
                rx.el.dd(_SPLIT.cost, title=rx.cond(_SPLIT.cost_known, "", phrase("composer.price_unknown"))),
            ),
            _cached(),
        ),
        rx.el.div(
            rx.el.span(style={"width": f"{_SPLIT.share}%"}),
            custom_attrs={"data-over": rx.cond(_SPLIT.too_much, "", None)},
            aria_hidden="true",
            class_name="tip-meter",
        ),
        _exact(),
        rx.cond(
            _SPLIT.any_in_view,
            rx.el.div(
                rx.el.button(phrase("composer.summarise"), type="button", on_click=SummaryState.ask("")),
                class_name="tip-exact",
            ),
        ),
        rx.el.div(
            rx.el.button(
                phrase("composer.dry_run"),
                type="button",
                on_click=InspectorState.show("preview"),
                title=phrase("composer.dry_run_button"),
            ),
            rx.el.p(phrase("composer.dry_run_hint")),
            class_name="tip-exact",
        ),
    )


def _row(row: rx.vars.ObjectVar[SplitRow]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(row.name),
        rx.el.dd(row.tokens),
        custom_attrs={"data-part": rx.cond(row.part, "", None)},
        key=row.name,
    )


def _cached() -> rx.Component:
    cached: Any = TooltipState.cached
    return rx.cond(
        TooltipState.cached,
        rx.el.div(rx.el.dt(cached.name), rx.el.dd(cached.cost), custom_attrs={"data-part": ""}),
    )


def _exact() -> rx.Component:
    return rx.cond(
        _SPLIT.exact,
        rx.el.p(phrase("composer.this_count_is_exact"), class_name="tip-note"),
        rx.el.div(
            rx.el.button(
                rx.cond(TooltipState.counting, phrase("composer.counting"), phrase("composer.count_exactly")),
                type="button",
                on_click=TooltipState.count,
                aria_disabled=TooltipState.counting,
            ),
            rx.el.p(TooltipState.exact, role="status"),
            class_name="tip-exact",
        ),
    )
