"""The column that folds away."""

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
