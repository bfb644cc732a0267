"""Own prices: a table, and a form that sets one."""

from __future__ import annotations

import reflex as rx

from app.state.usage.prices import KINDS, REQUIRED, OwnPriceState, PriceItem
from app.ui.phrase import phrase
from app.ui.usage.table import answer_note, column, fault_note, scrolled_table, unseen_column


def own_prices() -> rx.Component:
    """The section."""
    return rx.el.section(
        rx.el.h2(phrase("usage.prices_of_your_own"), id="prices-title"),
        rx.el.p(
            phrase("usage.prices_about"),
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
                column(phrase("common.model")),
                column(phrase("usage.from")),
                *[column(phrase(label)) for label in KINDS.values()],
                unseen_column(phrase("common.remove")),
            )
        ),
        rx.el.tbody(rx.foreach(OwnPriceState.items, lambda item: price_row(item=item, key=item.model + item.since))),
        caption=phrase("usage.prices_of_your_own"),
        label=phrase("usage.own_prices"),
    )


@rx.memo
def price_row(item: rx.vars.ObjectVar[PriceItem], rest: rx.RestProp) -> rx.Component:
    """What a model costs from a day on."""
    return rx.el.tr(
        rest,
        rx.el.th(item.model, scope="row"),
        rx.el.td(item.since),
        *[rx.el.td(getattr(item, kind)) for kind in KINDS],
        rx.el.td(
            rx.el.button(
                phrase("common.remove"),
                type="button",
                aria_label=phrase("usage.remove_price", model=item.model, since=item.since),
                on_click=OwnPriceState.remove(item.model, item.since),
                class_name="quiet",
            )
        ),
    )


def _form() -> rx.Component:
    return rx.el.form(
        rx.el.label(
            f"{phrase('common.model')} ",
            rx.el.input(
                name="model", aria_label=phrase("common.model"), required=True, size=24, placeholder="provider:model"
            ),
        ),
        rx.el.label(
            f"{phrase('usage.from_text')} ",
            rx.el.input(
                name="since",
                aria_label=phrase("usage.price_from_day"),
                type="date",
                required=True,
                key=OwnPriceState.today,
                default_value=OwnPriceState.today,
            ),
        ),
        *[
            rx.el.label(
                f"{phrase(label)} ",
                rx.el.input(
                    name=kind,
                    aria_label=phrase("usage.price_field", label=phrase(label)),
                    input_mode="decimal",
                    size=5,
                    required=kind in REQUIRED,
                ),
            )
            for kind, label in KINDS.items()
        ],
        rx.el.button(phrase("usage.set_the_price"), type="submit", class_name="quiet"),
        on_submit=OwnPriceState.save,
        aria_label=phrase("usage.set_a_price"),
        class_name="usage-form",
    )
