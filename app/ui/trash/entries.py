"""The list of deleted items, and the menu that sets how long the trash keeps them."""

from __future__ import annotations

import reflex as rx

from app.state.trash.trash import TermItem, TrashItem, TrashState
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.containers.row_focus import RowFocus
from app.ui.trash.delete_dialog import delete_forever_dialog


def trash_entries() -> rx.Component:
    """Draw the content of the trash page: the menu of the storage time, the entries, the dialog while it is open."""
    return rx.fragment(
        rx.cond(
            TrashState.loaded,
            RowFocus.create(
                _head(),
                rx.el.p(TrashState.message, role="status", class_name="trash-said"),
                rx.cond(TrashState.items.length() > 0, _list(), _empty()),
                rx.cond(
                    TrashState.more,
                    rx.el.button("Show older", type="button", on_click=TrashState.show_more, class_name="quiet"),
                ),
                among="li",
                heading="h1",
            ),
            rx.el.p("Loading trash…", role="status", class_name="trash-said"),
        ),
        deferred(delete_forever_dialog, when=TrashState.deleting),
    )


def _head() -> rx.Component:
    return rx.el.div(
        rx.el.label(
            "Keep deleted items: ",
            rx.el.select(
                rx.foreach(TrashState.terms, _term),
                value=TrashState.term,
                on_change=TrashState.keep_for,
            ),
        ),
        rx.cond(
            TrashState.items.length() > 0,
            rx.el.button("Empty the trash", type="button", on_click=TrashState.ask_empty, class_name="quiet"),
        ),
        class_name="trash-head",
    )


def _term(term: rx.vars.ObjectVar[TermItem]) -> rx.Component:
    return rx.el.option(term.label, value=term.value)


def _list() -> rx.Component:
    return rx.el.ul(
        rx.foreach(TrashState.items, lambda item: trash_row(item=item, key=item.id)),
        class_name="trash-list",
    )


@rx.memo
def trash_row(item: rx.vars.ObjectVar[TrashItem], rest: rx.RestProp) -> rx.Component:
    """Draw an entry with the buttons Restore and Delete forever."""
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.p(item.name, dir="auto", class_name="trash-name"),
            rx.el.p(
                item.about,
                " · Deleted ",
                MomentText.create(at=item.deleted_at),
                rx.cond(item.left != "", rx.fragment(" · ", item.left)),
                class_name="trash-about",
            ),
        ),
        rx.el.button(
            "Restore",
            type="button",
            aria_label=f"Restore {item.name}",
            on_click=TrashState.restore(item.id),
            class_name="quiet",
        ),
        rx.el.button(
            "Delete forever",
            type="button",
            aria_label=f"Delete forever: {item.name}",
            on_click=TrashState.ask_delete(item.id),
            class_name="quiet",
        ),
    )


def _empty() -> rx.Component:
    return rx.el.p(
        "The trash is empty. Deleted conversations and pairs appear here and can be restored.",
        class_name="trash-empty",
    )
