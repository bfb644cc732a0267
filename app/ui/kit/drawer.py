"""The column that folds away, and the link past it."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island

_FILE = island("kit/drawer.tsx")


class Drawer(Island):
    """The column: beside the centre on wide screens, over it on small ones."""

    library = _FILE
    tag = "Drawer"
    label: rx.Var[str]


class DrawerToggle(Island):
    """A button that folds the column away, or back."""

    library = _FILE
    tag = "DrawerToggle"
    label: rx.Var[str]


class SkipLink(Island):
    """The first stop of the keyboard: past the column, `to` the element of this id."""

    library = _FILE
    tag = "SkipLink"
    to: rx.Var[str]
