"""The section Lineage of the inspector: the origin of the conversation, and its forks and child conversations."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inspector.lineage import DerivedItem, LineageState
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.clock.ticker import Ticker
from app.ui.kit.controls.page_link import PageLink

_PACE: Final = 1500
"""Milliseconds between two updates of the list while a child conversation is running."""


@rx.memo
def lineage_panel() -> rx.Component:
    """Draw the section Lineage: the origin of the conversation on screen, its forks and its child conversations."""
    return rx.cond(
        LineageState.fault != "",
        rx.el.p(LineageState.fault, role="alert", class_name="inspector-note"),
        rx.cond(
            LineageState.conversation != "",
            rx.el.div(
                _origin(),
                _derived(),
                rx.cond(LineageState.unfinished, _look_again()),
                class_name="lineage",
            ),
            rx.el.p("Loading…", role="status", class_name="inspector-note"),
        ),
    )


def _look_again() -> rx.Component:
    return Ticker.create(milliseconds=_PACE, on_tick=LineageState.keep_current.temporal)


def _origin() -> rx.Component:
    origin = LineageState.origin
    return rx.el.section(
        rx.el.h3("Origin"),
        rx.cond(
            origin.is_not_none(),
            rx.el.p(PageLink.create(origin.title, to=origin.path), rx.el.small(origin.place)),
            rx.el.p("None. This conversation was not created from another one.", class_name="lineage-none"),
        ),
        aria_label="Origin",
    )


def _derived() -> rx.Component:
    return rx.el.section(
        rx.el.h3("Created from this conversation"),
        rx.cond(
            LineageState.items.length() == 0,
            rx.el.p("Nothing yet. Forks, titles, summaries and delegated work appear here.", class_name="lineage-none"),
        ),
        rx.el.ul(rx.foreach(LineageState.items, lambda item: derived_line(item=item, key=item.id))),
        aria_label="Created from this conversation",
    )


@rx.memo
def derived_line(item: rx.vars.ObjectVar[DerivedItem], rest: rx.RestProp) -> rx.Component:
    """Draw a fork or a child conversation with its progress and the time of its last change."""
    return rx.el.li(
        rest,
        PageLink.create(item.title, to=item.path),
        rx.el.p(
            rx.el.span(item.kind),
            rx.cond(item.state != "", rx.el.b(item.state)),
            rx.foreach(item.facts, rx.el.span),
            MomentText.create(at=item.at),
        ),
        custom_attrs={"data-status": item.status},
    )
