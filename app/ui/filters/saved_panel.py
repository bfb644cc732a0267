"""The panel of saved filters: the list of `@names`, and the form that saves the filter in force."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.filters.bar.chips import Chip
from app.domain.filters.saved.saved_rules import MAX_NAME
from app.state.filters.applied import FilterState
from app.state.filters.saved import FIELD, SavedFilterItem, SavedFilterState
from app.ui.kit.escape import escape
from app.ui.kit.icon import icon
from app.ui.phrase import phrase

_PEN = "m3.5 12.5.6-2.6 6.6-6.6 2 2-6.6 6.6z"
_BIN = "M3.5 4.5h9M6.5 4.3V3h3v1.3m-4.8.2.5 8.5h5.6l.5-8.5"
_CHIPS = {
    Chip.HUMAN: (phrase("filters.human"), phrase("filters.has_request")),
    Chip.ASSISTANT: (phrase("filters.assistant"), phrase("filters.has_reply")),
    Chip.TOOL: (phrase("filters.tool"), phrase("filters.has_tool_call")),
    Chip.CACHED: (phrase("filters.cache_hit"), phrase("filters.has_cache_read")),
}


@rx.memo
def saved_filters_panel() -> rx.Component:
    """Stands below the filter bar."""
    return rx.el.div(
        _chips(),
        _save_form(),
        rx.el.p(SavedFilterState.fault, role="alert", hidden=SavedFilterState.fault == "", class_name="filter-wrong"),
        rx.cond(
            SavedFilterState.loaded & (SavedFilterState.items.length() == 0),
            rx.el.p(
                f"{phrase('filters.no_saved')} ",
                rx.el.code("@name"),
                phrase("filters.alone_or_within_another"),
                class_name="filter-none",
            ),
        ),
        rx.el.ul(rx.foreach(SavedFilterState.items, lambda item: saved_filter(item=item, key=item.name))),
        role="group",
        aria_label=phrase("filters.saved_filters"),
        class_name="filter-panel saved-filters",
    )


@rx.memo
def saved_filter(item: rx.vars.ObjectVar[SavedFilterItem], rest: rx.RestProp) -> rx.Component:
    """One of them: to be used, renamed, deleted."""
    return rx.el.li(
        rx.cond(
            SavedFilterState.renaming == item.name,
            _rename_form(item),
            rx.fragment(
                rx.el.button(
                    rx.el.span("@", item.name),
                    rx.el.code(item.filter),
                    type="button",
                    title=phrase("filters.apply_it"),
                    on_click=SavedFilterState.use(item.name),
                    class_name="saved-name",
                ),
                _button(phrase("common.rename"), _PEN, item.name, SavedFilterState.begin_rename(item.name)),
                _button(phrase("common.delete"), _BIN, item.name, SavedFilterState.delete(item.name)),
            ),
        ),
        rest,
    )


def _chips() -> rx.Component:
    """Kinds of messages and cache hits, each switched on and off in the filter in force."""
    return rx.el.div(
        rx.el.span(phrase("filters.pairs_with"), aria_hidden="true"),
        *(
            rx.el.button(
                name,
                type="button",
                title=title,
                aria_pressed=FilterState.chips.contains(chip.value).to(str),
                on_click=SavedFilterState.toggle_chip(chip.value),
                class_name="filter-chip",
            )
            for chip, (name, title) in _CHIPS.items()
        ),
        role="group",
        aria_label=phrase("filters.only_pairs_with"),
        class_name="filter-chips",
    )


def _save_form() -> rx.Component:
    empty = FilterState.filter == ""
    return rx.el.form(
        rx.el.label(
            rx.cond(
                empty,
                phrase("filters.save_hint"),
                rx.fragment(f"{phrase('common.save')} ", rx.el.code(FilterState.filter), f" {phrase('filters.as')}"),
            ),
            html_for=FIELD,
        ),
        rx.el.div(
            rx.el.span("@", aria_hidden="true"),
            _field(id=FIELD, disabled=empty, placeholder="important"),
            rx.el.button(phrase("common.save"), type="submit", disabled=empty),
        ),
        on_submit=SavedFilterState.save,
    )


def _rename_form(item: rx.vars.ObjectVar[SavedFilterItem]) -> rx.Component:
    return escape(
        rx.el.form(
            rx.el.span("@", aria_hidden="true"),
            _field(default_value=item.name, aria_label=phrase("filters.rename_name", name=item.name.to(str))),
            rx.el.button(phrase("common.rename"), type="submit"),
            on_submit=SavedFilterState.rename,
        ),
        on_escape=SavedFilterState.end_rename,
        class_name="contents",
    )


def _field(**props: Any) -> rx.Component:
    return rx.el.input(
        name="name",
        required=True,
        auto_focus=True,
        max_length=MAX_NAME,
        auto_complete="off",
        spell_check=False,
        **props,
    )


def _button(does: str, path: str, name: rx.Var[str], on_click: Any) -> rx.Component:
    return rx.el.button(
        icon(path),
        type="button",
        aria_label=f"{does} @" + name.to(str),
        title=does,
        on_click=on_click,
        class_name="filter-button",
    )
