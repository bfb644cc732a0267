"""The section of prices that the user set: a table, and a form that sets one."""

from __future__ import annotations

import reflex as rx

from app.state.usage.prices import KINDS, REQUIRED, OwnPriceState, PriceItem
from app.ui.usage.table import answer_note, column, fault_note, scrolled_table, unseen_column


def own_prices() -> rx.Component:
    """Draw the section of prices that the user set: the table, and the form that sets one."""
    return rx.el.section(
        rx.el.h2("Custom prices", id="prices-title"),
        rx.el.p(
            "Prices come from a public table. If yours differ (a contract, your own server), enter them here "
            "in US dollars per million tokens, valid from a UTC day.",
            class_name="usage-note",
        ),
        rx.cond(OwnPriceState.items.length() > 0, _table()),
        _form(),
        fault_note(OwnPriceState.fault),
        answer_note(OwnPriceState.message),
        aria_labelledby="prices-title",
        class_name="usage",
    )


def _table() -> rx.Component:
    return scrolled_table(
        rx.el.thead(
            rx.el.tr(
                column("Model"), column("From"), *[column(label) for label in KINDS.values()], unseen_column("Remove")
            )
        ),
        rx.el.tbody(rx.foreach(OwnPriceState.items, lambda item: price_row(item=item, key=item.model + item.since))),
        caption="Custom prices",
        label="Table of custom prices",
    )


@rx.memo
def price_row(item: rx.vars.ObjectVar[PriceItem], rest: rx.RestProp) -> rx.Component:
    """Draw a row of the price table: a model, its prices, the day from which they apply, a button that removes them."""
    return rx.el.tr(
        rest,
        rx.el.th(item.model, scope="row"),
        rx.el.td(item.since),
        *[rx.el.td(getattr(item, kind)) for kind in KINDS],
        rx.el.td(
            rx.el.button(
                "Remove",
                type="button",
                aria_label=f"Remove the price of {item.model} from {item.since}",
                on_click=OwnPriceState.remove(item.model, item.since),
                class_name="quiet",
            )
        ),
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.label(
            "Model ",
            rx.el.input(name="model", aria_label="Model", required=True, size=24, placeholder="provider:model"),
        ),
        rx.el.label(
            "from ",
            rx.el.input(
                name="since",
                aria_label="Valid from this UTC day",
                type="date",
                required=True,
                key=OwnPriceState.today,
                default_value=OwnPriceState.today,
            ),
        ),
        *[
            rx.el.label(
                f"{label} ",
                rx.el.input(
                    name=kind,
                    aria_label=f"{label}, US dollars per million tokens",
                    input_mode="decimal",
                    size=5,
                    required=kind in REQUIRED,
                ),
            )
            for kind, label in KINDS.items()
        ],
        rx.el.button("Set price", type="submit", class_name="quiet"),
        on_submit=OwnPriceState.save,
        aria_label="Set a price",
        class_name="usage-form",
    )
