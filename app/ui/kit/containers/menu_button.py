"""A button that opens a dialog without the server."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class MenuButton(Island):
    """A button with the accessible name `label` that opens a dialog of the same name with the children.

    `face` is the content of the button, `popup` the CSS classes of the dialog. Elements with `data-close` close it.
    """

    library = island("kit/containers/menu_button.tsx")
    tag = "MenuButton"
    label: rx.Var[str]
    face: rx.Var[rx.Component]
    popup: rx.Var[str]
