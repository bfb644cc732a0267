"""Parts that the sections of usage share: scrolling tables, options, errors and messages."""

from __future__ import annotations

from collections.abc import Mapping

import reflex as rx


def scrolled_table(*parts: rx.Component, caption: str, label: str) -> rx.Component:
    """Draw a table that scrolls sideways if it is too wide; keys can reach it. `caption` is only for screen readers."""
    return rx.el.div(
        rx.el.table(rx.el.caption(caption, class_name="unseen"), *parts),
        tab_index=0,
        role="region",
        aria_label=label,
        class_name="usage-table",
    )


def column(label: str, class_name: str = "") -> rx.Component:
    """Draw the head of a table column."""
    return rx.el.th(label, scope="col", class_name=class_name)


def unseen_column(label: str) -> rx.Component:
    """Draw the head of a table column, which only screen readers read."""
    return rx.el.th(rx.el.span(label, class_name="unseen"), scope="col")


def options(labels: Mapping[str, str]) -> list[rx.Component]:
    """Return the options of a menu. `labels` has the text of each option by its value."""
    return [rx.el.option(label, value=value) for value, label in labels.items()]


def fault_note(fault: rx.Var[str]) -> rx.Component:
    """Draw `fault`, the reason why an input was refused; nothing if it is ""."""
    return rx.cond(fault != "", rx.el.p(fault, role="alert", class_name="usage-fault"))


def answer_note(message: rx.Var[str]) -> rx.Component:
    """Draw the result of the last action. Screen readers read it aloud when it arrives."""
    return rx.el.p(message, role="status", class_name="usage-note")
