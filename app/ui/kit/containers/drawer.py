"""The left column of the page, which can be collapsed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island

_FILE = island("kit/containers/drawer.tsx")


class Drawer(Island):
    """The left column with the accessible name `label`: next to the centre on wide screens, over it on small ones.

    `on_look` is sent when the column becomes visible (True) or hidden (False), because the user expands or collapses it
    or shows another tab of the browser. It is not sent if the column is visible when the page is loaded. When a lost
    connection is back, it is sent again.
    """

    library = _FILE
    tag = "Drawer"
    label: rx.Var[str]
    on_look: rx.EventHandler[rx.event.passthrough_event_spec(bool)]


class DrawerToggle(Island):
    """A button that collapses or expands the left column."""

    library = _FILE
    tag = "DrawerToggle"
    label: rx.Var[str]
