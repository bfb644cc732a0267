"""A button with a menu. `MenuState` has the name of the open menu.

menu(Menu.ADD, line_icon(PLUS), menu_item("Attach files", event), label="Add to the message", ...)
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.shell.menus import Menu, MenuState
from app.ui.kit.containers.dialog import Dialog
from app.ui.kit.controls.icon import line_icon


def menu(
    which: Menu, face: rx.Component, *items: rx.Component, label: str, classes: str = "", **button: Any
) -> rx.Component:
    """Draw a button with `face` on it, and the menu with `items` that it opens. `label` is the name of the menu.

    `classes` are more CSS classes of the menu, `button` are props of the button. An `on_click` in `button` replaces the
    event that opens the menu.
    """
    is_open = MenuState.shown == which.value
    props: dict[str, Any] = {"on_click": MenuState.show(which.value), **button}
    button_id = f"{which.value}-menu"
    return rx.el.div(
        rx.el.button(
            face,
            id=button_id,
            type="button",
            aria_haspopup="dialog",
            aria_expanded=is_open,
            **props,
        ),
        rx.cond(
            is_open,
            Dialog.create(*items, label=label, at=button_id, on_close=MenuState.close, class_name=f"popup {classes}"),
        ),
        class_name="menu-place",
    )


def menu_item(
    name: str | rx.Var[str], event: Any, *, drawn: str = "", note: str = "", class_name: str = "", **button: Any
) -> rx.Component:
    """Draw a menu item that closes the menu and sends `event`. `drawn` is the SVG path of its icon, `note` a hint."""
    return rx.el.button(
        line_icon(drawn) if drawn else rx.fragment(),
        rx.el.span(name, rx.el.small(note, aria_hidden="true") if note else rx.fragment()),
        type="button",
        on_click=event,
        custom_attrs={"data-close": ""},
        class_name=f"menu-item {class_name}",
        **button,
    )
