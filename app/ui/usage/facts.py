"""A row of figures, each with its label."""

from __future__ import annotations

import reflex as rx

from app.state.usage.labels import FigureView


def facts(shown: rx.Var[tuple[FigureView, ...]]) -> rx.Component:
    """Draw figures side by side, each with its label and a note."""
    return rx.el.dl(rx.foreach(shown, _fact), class_name="usage-facts")


def _fact(fact: rx.vars.ObjectVar[FigureView]) -> rx.Component:
    return rx.el.div(
        rx.el.dt(fact.label),
        rx.el.dd(fact.value, rx.cond(fact.note != "", rx.el.small(fact.note))),
    )
