"""The estimate of a send: the counter X / Y, the tokens and cost next to Send, and the tooltip with the details."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.composer.tooltip import TooltipState
from app.state.composer.views import SplitRow
from app.state.inspector.frame import InspectorState
from app.state.reply.summary import SummaryState
from app.state.settings.preferences import PreferencesState
from app.state.transcript.chat import ChatState
from app.ui.kit.containers.tip import Tip
from app.ui.kit.controls.provider_link import vendor_of, with_provider_link
from app.views.request.composition import NAMES_OF_LIMITS

_SPLIT: Any = ComposerState.split
_TOO_LARGE: Final = "{count} characters are too many to send at once. The text stays in the message box."


def counter() -> rx.Component:
    """Draw the number of pairs in view that will be sent: "12 / 15 pairs", or with a filter "2 / 2 of 15 pairs".

    A small screen has room only for "12 / 15", or with a filter for "2 of 15".
    """
    return rx.cond(
        ComposerState.split,
        Tip.create(
            _SPLIT.x,
            rx.el.span(" / ", _SPLIT.y, class_name="counter-view"),
            rx.cond(_SPLIT.whole != "", rx.el.span(" of ", _SPLIT.whole, class_name="counter-whole")),
            rx.el.span(" ", _SPLIT.unit, class_name="counter-unit"),
            label=_SPLIT.counted,
            large=f"? / {_SPLIT.y}",
            large_label="The number of pairs to send is unknown: " + _TOO_LARGE,
            short=~_SPLIT.all_fit,
            panel=split_panel(),
            panel_label="What is sent",
            about=_SPLIT.look,
            on_look=TooltipState.look,
            class_name="counter",
        ),
    )


def estimate() -> rx.Component:
    """Draw the size and cost of a send made now: "~1,234 tokens · $0.002 + reply", or the progress of counting."""
    return rx.cond(ComposerState.counting != "", _counting(), _counted())


def _counting() -> rx.Component:
    # No live region, because a screen reader would read a hundred steps aloud. It now reads the text only when a
    # person navigates to the text.
    return rx.el.span(
        ComposerState.counting,
        role="progressbar",
        aria_label="Counting tokens",
        custom_attrs={"aria-valuetext": ComposerState.counting},
        class_name="estimate counting",
    )


def _counted() -> rx.Component:
    return rx.cond(
        ComposerState.split,
        Tip.create(
            _SPLIT.tokens,
            " ",
            rx.el.span("tokens", class_name="estimate-unit"),
            " ",
            rx.el.span("· ", _SPLIT.cost, rx.cond(_SPLIT.priced, " + reply", ""), class_name="estimate-cost"),
            label="to be sent now" + rx.cond(_SPLIT.certainty != "", ", " + _SPLIT.certainty, "").to(str),
            edition=ComposerState.counted,
            old="counting…",
            old_label="Counting tokens. The figure is for the previous text.",
            large="not counted",
            large_label="Tokens are not counted: " + _TOO_LARGE,
            above=True,
            short=_SPLIT.over,
            panel=split_panel(),
            panel_label="What is sent",
            about=_SPLIT.look,
            on_look=TooltipState.look,
            class_name="estimate",
        ),
    )


@rx.memo
def split_panel() -> rx.Component:
    """Draw the tooltip of the counter and the estimate: the tokens of each part of a send."""
    return rx.fragment(
        rx.el.p(_SPLIT.title, class_name="tip-title"),
        rx.el.dl(
            rx.foreach(_SPLIT.rows, _row),
            rx.el.div(
                rx.el.dt("Sent now"),
                rx.el.dd(_SPLIT.tokens, " ", rx.el.small(_SPLIT.certainty)),
                class_name="tip-sum",
            ),
            rx.el.div(rx.el.dt("Reserved for the reply"), rx.el.dd(_SPLIT.reserve)),
            rx.el.div(rx.el.dt("Limit: ", _share(), _SPLIT.limited_by), rx.el.dd(_SPLIT.limit)),
            rx.el.div(
                rx.el.dt("Input cost"),
                rx.el.dd(_SPLIT.cost, title=rx.cond(_SPLIT.cost_known, "", "The price of this model is unknown")),
            ),
            _cached(),
        ),
        rx.cond(
            _SPLIT.priced,
            rx.el.p("The reply costs extra, and so does a title after the first reply.", class_name="tip-note"),
        ),
        rx.el.div(
            rx.el.span(style={"width": f"{_SPLIT.share}%"}),
            custom_attrs={"data-over": rx.cond(_SPLIT.over, "", None)},
            aria_hidden="true",
            class_name="tip-meter",
        ),
        rx.cond(
            _SPLIT.rounds,
            rx.el.p("For the first call only: each round of tool calls sends everything again.", class_name="tip-note"),
        ),
        rx.cond(ChatState.opened, _exact()),
        rx.cond(
            _SPLIT.any_in_view,
            rx.el.div(rx.el.button("Summarise…", type="button", on_click=SummaryState.ask("")), class_name="tip-exact"),
        ),
        _preview(),
    )


def _share() -> rx.Var[str]:
    """Return the words before the name of the limit: the share of the model's window that a send may use."""
    share: Any = PreferencesState.preferred.soft_cap
    percent = round(share * 10_000) / 100
    return rx.cond(_SPLIT.limited_by == NAMES_OF_LIMITS["window"], "up to " + percent.to_string() + " % of ", "").to(
        str
    )


def _preview() -> rx.Component:
    return rx.el.div(
        rx.el.button(
            "Show request",
            type="button",
            on_click=InspectorState.show("preview"),
            title="Show request (Ctrl+Shift+Enter in the message box)",
        ),
        rx.el.p("Exactly what will be sent. Nothing is sent yet."),
        class_name="tip-exact",
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
        _SPLIT.exact & (TooltipState.exact == ""),
        rx.el.p("This count is exact.", class_name="tip-note"),
        rx.cond(_SPLIT.countable, _count_exactly()),
    )


def _count_exactly() -> rx.Component:
    return rx.el.div(
        rx.el.button(
            rx.cond(TooltipState.counting, "Counting…", "Count exactly"),
            type="button",
            on_click=TooltipState.count,
            aria_disabled=TooltipState.counting,
        ),
        rx.el.p(with_provider_link(TooltipState.exact, vendor_of(ComposerState.model)), role="status"),
        class_name="tip-exact",
    )
