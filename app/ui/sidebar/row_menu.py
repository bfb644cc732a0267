"""The menu of a row: commands on the conversation without opening it. Each entry shows its key."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.placement import PlacementState
from app.ui.kit.arrows import Arrows
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase
from app.views.keys import RowKey

_MENU: Any = PlacementState.menu
_CLOSES: Final = {"data-close": ""}


def menu_id(conversation_id: rx.Var[str]) -> rx.Var[str]:
    """The id of the button that opens the menu of a row."""
    return "row-menu-" + conversation_id.to(str)


@rx.memo
def row_menu() -> rx.Component:
    """Open while `PlacementState.menu`."""
    return Dialog.create(
        Arrows.create(
            rx.el.p(_MENU.name, dir="auto", class_name="row-menu-name"),
            rx.cond(
                _MENU.model != "",
                rx.el.p(
                    phrase("list.details", count=_MENU.pair_count, model=_MENU.model), class_name="row-menu-details"
                ),
            ),
            rx.cond(
                _MENU.imported_from != "",
                rx.el.p(phrase("list.imported_from", name=_MENU.imported_from), class_name="row-menu-details"),
            ),
            rx.cond(
                PlacementState.menu_cost != "",
                rx.el.p(phrase("list.cost", cost=PlacementState.menu_cost), class_name="row-menu-details"),
            ),
            rx.cond(
                _MENU.temporary,
                rx.fragment(),
                rx.fragment(
                    _entry(
                        rx.cond(_MENU.pinned, phrase("list.unpin"), phrase("list.pin")),
                        RowKey.PIN,
                        PlacementState.toggle_pin(_MENU.id),
                    ),
                    _entry(phrase("list.move"), RowKey.MOVE, PlacementState.ask_move(_MENU.id)),
                    _entry(
                        rx.cond(_MENU.archived, phrase("list.unarchive"), phrase("list.archive")),
                        RowKey.ARCHIVE,
                        PlacementState.toggle_archive(_MENU.id),
                    ),
                    _entry(
                        rx.cond(_MENU.unread, phrase("list.mark_read"), phrase("list.mark_unread")),
                        RowKey.UNREAD,
                        PlacementState.toggle_unread(_MENU.id),
                    ),
                    _entry(phrase("list.select"), RowKey.SELECT, PlacementState.begin_select(_MENU.id)),
                ),
            ),
            rx.el.a(
                phrase("list.new_tab"),
                href=_MENU.path,
                target="_blank",
                rel="noopener",
                custom_attrs=_CLOSES,
                class_name="row-menu-entry",
            ),
            among=".row-menu-entries",
            class_name="row-menu-entries",
        ),
        label=phrase("list.more", name=_MENU.name),
        at=menu_id(_MENU.id),
        on_close=PlacementState.close_menu,
        class_name="popup row-menu",
    )


def _entry(text: Any, key: RowKey, on_click: Any) -> rx.Component:
    return rx.el.button(
        rx.el.span(text),
        rx.el.kbd(key.value),
        type="button",
        on_click=on_click,
        custom_attrs=_CLOSES,
        class_name="row-menu-entry",
    )
