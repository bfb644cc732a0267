"""Small parts that the sections of usage share: tables with their own scrolling, options, faults, messages."""

from __future__ import annotations

from collections.abc import Mapping

import reflex as rx

from app.ui.phrase import phrase


def scrolled_table(*parts: rx.Component, caption: str, label: str) -> rx.Component:
    """A table that scrolls sideways where it does not fit; keys can reach it. `caption` is only read out."""
    return rx.el.div(
        rx.el.table(rx.el.caption(caption, class_name="unseen"), *parts),
        tab_index=0,
        role="region",
        aria_label=label,
        class_name="usage-table",
    )


def column(label: str, class_name: str = "") -> rx.Component:
    """The head of a column."""
    return rx.el.th(label, scope="col", class_name=class_name)


def unseen_column(label: str) -> rx.Component:
    """The head of a column that needs none for the eye."""
    return rx.el.th(rx.el.span(label, class_name="unseen"), scope="col")


def options(labels: Mapping[str, str]) -> list[rx.Component]:
    """The options of a menu: keys of texts, by value."""
    return [rx.el.option(phrase(label), value=value) for value, label in labels.items()]


def fault_note(fault: rx.Var[str]) -> rx.Component:
    """Why something was refused, if it was."""
    return rx.cond(fault != "", rx.el.p(fault, role="alert", class_name="usage-fault"))


def answer_note(message: rx.Var[str]) -> rx.Component:
    """The answer to the last command, read out as it comes."""
    return rx.el.p(message, role="status", class_name="usage-note")
