"""The panel of saved filters: the list of `@names`, and the form that saves the filter in force."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.filters.saved_rules import MAX_NAME
from app.state.filters.applied import FilterState
from app.state.filters.saved import FIELD, SavedFilterItem, SavedFilterState
from app.ui.kit.containers.damage_box import damage_box, export_raw
from app.ui.kit.controls.icon import icon
from app.ui.kit.keys.escape import escape

_PEN = "m3.5 12.5.6-2.6 6.6-6.6 2 2-6.6 6.6z"
_BIN = "M3.5 4.5h9M6.5 4.3V3h3v1.3m-4.8.2.5 8.5h5.6l.5-8.5"


@rx.memo
def saved_filters_panel() -> rx.Component:
    """Draw the panel of saved filters, which is shown below the filter bar."""
    return rx.el.div(
        _save_form(),
        rx.el.p(SavedFilterState.fault, role="alert", hidden=SavedFilterState.fault == "", class_name="filter-wrong"),
        rx.cond(
            SavedFilterState.loaded & (SavedFilterState.items.length() == 0),
            rx.el.p(
                "No saved filters yet. Use a saved filter as ",
                rx.el.code("@name"),
                ", alone or inside another filter.",
                class_name="filter-none",
            ),
        ),
        rx.el.ul(
            rx.foreach(SavedFilterState.items, lambda item: saved_filter(item=item, key=item.number)),
            rx.foreach(SavedFilterState.damaged, _damaged_entry),
        ),
        role="group",
        aria_label="Saved filters",
        class_name="filter-panel saved-filters",
    )


@rx.memo
def saved_filter(item: rx.vars.ObjectVar[SavedFilterItem], rest: rx.RestProp) -> rx.Component:
    """Draw a saved filter with the buttons that use, rename and delete it."""
    return rx.el.li(
        rx.cond(
            item.damage != "",
            _damaged(item),
            rx.cond(
                SavedFilterState.renaming == item.name,
                _rename_form(item),
                rx.fragment(
                    rx.el.button(
                        rx.el.span("@", item.name),
                        rx.el.code(item.filter),
                        type="button",
                        title="Apply",
                        on_click=SavedFilterState.use(item.name),
                        class_name="saved-name",
                    ),
                    _button("Rename", _PEN, item.name, SavedFilterState.begin_rename(item.name)),
                    _button("Delete", _BIN, item.name, SavedFilterState.delete(item.name)),
                ),
            ),
        ),
        rest,
    )


def _damaged(item: rx.vars.ObjectVar[SavedFilterItem]) -> rx.Component:
    return damage_box(
        "This saved filter cannot be read.",
        rx.fragment(
            rx.el.li(rx.el.b("@", item.name), " ", rx.el.code(item.filter)),
            rx.el.li(item.damage),
        ),
        "Filters that use this saved filter cannot be applied.",
        export_raw("filter", item.number.to_string()),
        rx.el.button("Delete", type="button", on_click=SavedFilterState.delete_damaged(item.number)),
        name="Next steps",
        space="my-1 flex-1",
    )


def _damaged_entry(item: rx.vars.ObjectVar[SavedFilterItem]) -> rx.Component:
    box = damage_box(
        "An entry of the filter history cannot be read.",
        rx.fragment(rx.cond(item.filter != "", rx.el.li(rx.el.code(item.filter))), rx.el.li(item.damage)),
        "It is not offered in the filter bar.",
        rx.el.button("Delete", type="button", on_click=SavedFilterState.delete_damaged_entry(item.number)),
        name="Next steps",
        space="my-1 flex-1",
    )
    return rx.el.li(box, key="entry " + item.number.to_string())


def _save_form() -> rx.Component:
    empty = FilterState.filter == ""
    return rx.el.form(
        rx.el.label(
            rx.cond(empty, "Apply a filter to save it", rx.fragment("Save ", rx.el.code(FilterState.filter), " as")),
            html_for=FIELD,
        ),
        rx.el.div(
            rx.el.span("@", aria_hidden="true"),
            _field(id=FIELD, disabled=empty, placeholder="important"),
            rx.el.button("Save", type="submit", disabled=empty),
        ),
        on_submit=SavedFilterState.save,
    )


def _rename_form(item: rx.vars.ObjectVar[SavedFilterItem]) -> rx.Component:
    return escape(
        rx.el.form(
            rx.el.span("@", aria_hidden="true"),
            _field(default_value=item.name, aria_label="New name of @" + item.name.to(str)),
            rx.el.button("Rename", type="submit"),
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
