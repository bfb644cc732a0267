"""The "+" of the composer: what can go with a message, and how it is asked."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.inserting import InsertingState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.model import ModelState
from app.state.shell.menus import Menu, MenuState
from app.ui.composer.icons import BRACES, SLIDERS
from app.ui.kit.dialog import Dialog
from app.ui.kit.icon import line_icon
from app.ui.kit.place import Place, go_to

_BUTTON: Final = "add-menu"
_LABEL: Final = "Add to the message"
_PLUS: Final = "M8 2.5v11M2.5 8h11"
_CLIP: Final = "M13.2 7.3 8 12.5a3 3 0 0 1-4.3-4.3l5.6-5.6a2 2 0 0 1 2.9 2.9L6.7 11a1 1 0 0 1-1.5-1.4l5-5"
_CAMERA: Final = "M2.5 5h2.7l1-1.5h3.6l1 1.5h2.7v8h-11zM8 6.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4"
_PLUG: Final = "M5.5 2.5v3M10.5 2.5v3M4 5.5h8v2.2a4 4 0 0 1-8 0zM8 11.7v2"


def add_menu() -> rx.Component:
    """A button, and the menu that it opens at itself."""
    is_open = MenuState.shown == Menu.ADD.value
    return rx.el.div(
        rx.el.button(
            line_icon(_PLUS),
            id=_BUTTON,
            type="button",
            aria_label=_LABEL,
            aria_haspopup="dialog",
            aria_expanded=is_open,
            title="Files, a schema, parameters, prompts of servers",
            on_click=MenuState.show_add,
            class_name="schema-button",
        ),
        rx.cond(is_open, _menu()),
        class_name="flex flex-none",
    )


def _menu() -> rx.Component:
    return Dialog.create(
        _item(_CLIP, "Attach files", _taken(), go_to(Place.ATTACH)),
        rx.cond(ModelState.images, _item(_CAMERA, "Take a photo", "", go_to(Place.PHOTO), "menu-item camera")),
        _item(BRACES, "JSON schema of the reply", "The reply fits it", SchemaState.ask),
        _item(SLIDERS, "Parameters", "Temperature, effort and the like", ParametersState.ask),
        _item(_PLUG, "Insert from a server", "Prompts (/) and resources of MCP servers", InsertingState.ask),
        label=_LABEL,
        at=_BUTTON,
        on_close=MenuState.close,
        class_name="popup menu add-menu",
    )


def _taken() -> str:
    kinds = rx.cond(ModelState.images, "Images and texts", "Texts")
    return f"{kinds}; paste and drop work, too"


def _item(drawn: str, name: str, note: str, event: Any, class_name: str = "menu-item") -> rx.Component:
    return rx.el.button(
        line_icon(drawn),
        rx.el.span(name, rx.cond(note != "", rx.el.small(note, aria_hidden="true"))),
        type="button",
        on_click=event,
        custom_attrs={"data-close": ""},
        class_name=class_name,
    )
