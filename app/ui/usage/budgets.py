"""The section of budgets: each with its scope and the amount that was spent, and a form that sets one."""

from __future__ import annotations

import reflex as rx

from app.state.usage.budgets import SCOPES, SPANS, WARN_AT, BudgetItem, BudgetState
from app.ui.usage.table import answer_note, fault_note, options


def budgets() -> rx.Component:
    """Draw the section of budgets: each budget, and the form that sets one."""
    return rx.el.section(
        rx.el.h2("Budgets", id="budgets-title"),
        rx.el.p(
            "In US dollars, by UTC days and months. A budget with “Stop sends” blocks messages that would exceed it. "
            "Free models can always be used.",
            class_name="usage-note",
        ),
        rx.el.ul(
            rx.foreach(BudgetState.items, lambda item: budget_row(item=item, key=item.key)),
            aria_label="Budgets",
            class_name="budgets",
        ),
        rx.cond(
            BudgetState.loaded & (BudgetState.items.length() == 0),
            rx.el.p("No budgets yet.", class_name="usage-note"),
        ),
        _form(),
        fault_note(BudgetState.fault),
        answer_note(BudgetState.message),
        aria_labelledby="budgets-title",
        class_name="usage",
    )


@rx.memo
def budget_row(item: rx.vars.ObjectVar[BudgetItem], rest: rx.RestProp) -> rx.Component:
    """Draw a budget with a meter of its spent share, and a button that removes it."""
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.b(item.name),
            rx.el.span(item.spent),
            rx.el.em(item.standing_label),
            rx.el.button(
                "Remove",
                type="button",
                aria_label=f"Remove the budget: {item.name}",
                on_click=BudgetState.remove(item.scope, item.subject, item.span),
                class_name="quiet",
            ),
            class_name="budget-line",
        ),
        rx.el.div(
            rx.el.span(style={"width": f"{item.share}%"}),
            aria_label=f"Spent: {item.name}",
            aria_valuemin=0,
            aria_valuemax=100,
            aria_valuenow=item.share,
            custom_attrs={"role": "meter"},  # Reflex's types lack this role
            class_name="budget-meter",
        ),
        rx.el.small(item.note),
        custom_attrs={"data-standing": item.standing},
        class_name="budget",
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.label("Applies to ", rx.el.select(*options(SCOPES), name="scope", aria_label="Applies to")),
        rx.el.label(
            "Period ", rx.el.select(*options(SPANS), name="span", aria_label="Budget period", default_value="month")
        ),
        rx.el.label(
            "$ ",
            rx.el.input(
                name="amount",
                aria_label="Amount in US dollars",
                input_mode="decimal",
                required=True,
                size=7,
                placeholder="10.00",
                on_focus=BudgetState.clear_fault,
            ),
        ),
        rx.el.label(
            "Warn at ",
            rx.el.input(
                name="warn",
                aria_label="Warn at this share, in percent",
                input_mode="numeric",
                size=3,
                default_value=str(WARN_AT),
            ),
            " %",
        ),
        rx.el.label(rx.el.input(type="checkbox", name="stops", default_checked=True), " Stop sends"),
        rx.el.button("Set budget", type="submit", class_name="quiet"),
        on_submit=BudgetState.save,
        aria_label="Set a budget",
        class_name="usage-form",
    )
