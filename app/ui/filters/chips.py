"""The chips of the filter bar: star, topic, date, model, kind. Choosing a value writes its term into the line."""

from __future__ import annotations

import reflex as rx

from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.transcript.chat import ChatState
from app.ui.kit.clock.ticker import Ticker
from app.views.filters.filter_chips import ChipOption, ChipView

_CHOOSE = FilterLineState.choose_chip


@rx.memo
def filter_chips() -> rx.Component:
    """Draw a row of chips for the values that occur in the conversation."""
    return rx.cond(
        FilterLineState.chips.length() > 0,
        rx.el.div(
            rx.foreach(FilterLineState.chips, _chip),
            role="group",
            aria_label="Quick filters",
            class_name="filter-chips",
        ),
    )


def chips_in_force() -> rx.Component:
    """Draw the chips of the applied filter below the top bar; nothing while no filter is applied."""
    return rx.cond(
        FilterState.filter != "",
        rx.el.div(
            filter_chips(),
            rx.cond(
                FilterLineState.day_left > 0,
                Ticker.create(milliseconds=FilterLineState.day_left, on_tick=FilterLineState.find_chips.temporal),
            ),
            key=ChatState.opened,  # with a new key, the values of another conversation are read
            on_mount=FilterLineState.find_chips,
            class_name="filter-chips-row",
        ),
    )


def _chip(chip: rx.vars.ObjectVar[ChipView], _: rx.Var[int]) -> rx.Component:
    return rx.cond(chip.single, _toggle(chip), _menu(chip))


def _toggle(chip: rx.vars.ObjectVar[ChipView]) -> rx.Component:
    """Draw a chip with one value, as a button. Pressing it again removes the value."""
    is_on = chip.chosen != ""
    only = chip.options.to(tuple[ChipOption, ...])[0].term
    return rx.el.button(
        chip.label,
        type="button",
        aria_pressed=is_on,
        on_click=_CHOOSE(chip.name, rx.cond(is_on, "", only)),
        class_name="filter-chip",
    )


def _menu(chip: rx.vars.ObjectVar[ChipView]) -> rx.Component:
    """Draw a chip with several values, as a menu. Its first entry removes the chosen value."""
    options = rx.foreach(
        chip.options.to(tuple[ChipOption, ...]), lambda one: rx.el.option(one.label, value=one.term, key=one.term)
    )
    return rx.el.select(
        rx.el.option(rx.cond(chip.chosen != "", f"Any {chip.name}", chip.label), value=""),
        options,
        value=chip.chosen,
        aria_label=chip.label,
        on_change=lambda term: _CHOOSE(chip.name, term),
        custom_attrs={"data-on": rx.cond(chip.chosen != "", "", rx.Var("undefined"))},
        class_name="filter-chip",
    )
