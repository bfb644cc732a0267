"""The list of deleted things, and the menu that sets how long they stay."""

from __future__ import annotations

import reflex as rx

from app.state.trash import TermItem, TrashItem, TrashState
from app.ui.kit.deferred import deferred
from app.ui.kit.moment import Moment
from app.ui.phrase import phrase
from app.ui.trash.delete_dialog import delete_forever_dialog


def trash_entries() -> rx.Component:
    """Everything on the page of the trash."""
    return rx.fragment(
        rx.cond(
            TrashState.loaded,
            rx.fragment(
                _head(),
                rx.el.p(TrashState.message, role="status", class_name="trash-said"),
                rx.cond(TrashState.items.length() > 0, _list(), _empty()),
                rx.cond(
                    TrashState.more,
                    rx.el.button(
                        phrase("trash.show_older"), type="button", on_click=TrashState.show_more, class_name="quiet"
                    ),
                ),
            ),
            rx.el.p(phrase("trash.loading"), role="status", class_name="trash-said"),
        ),
        deferred(delete_forever_dialog, when=TrashState.deleting),
    )


def _head() -> rx.Component:
    return rx.el.div(
        rx.el.label(
            phrase("trash.keep_for"),
            " ",
            rx.el.select(
                rx.foreach(TrashState.terms, _term),
                value=TrashState.term,
                on_change=TrashState.keep_for,
            ),
        ),
        rx.cond(
            TrashState.items.length() > 0,
            rx.el.button(phrase("trash.empty_trash"), type="button", on_click=TrashState.ask_empty, class_name="quiet"),
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
    """An entry with its two commands."""
    return rx.el.li(
        rest,
        rx.el.div(
            rx.el.p(item.name, dir="auto", class_name="trash-name"),
            rx.el.p(
                item.about,
                " · ",
                phrase("trash.deleted"),
                " ",
                Moment.create(at=item.deleted_at),
                rx.cond(item.left != "", rx.fragment(" · ", item.left)),
                class_name="trash-about",
            ),
        ),
        rx.el.button(
            phrase("trash.restore"),
            type="button",
            aria_label=phrase("trash.restore_name", name=item.name),
            on_click=TrashState.restore(item.id),
            class_name="quiet",
        ),
        rx.el.button(
            phrase("trash.delete_forever"),
            type="button",
            aria_label=phrase("trash.delete_name_forever", name=item.name),
            on_click=TrashState.ask_delete(item.id),
            class_name="quiet",
        ),
    )


def _empty() -> rx.Component:
    return rx.el.p(
        phrase("trash.empty"),
        class_name="trash-empty",
    )
