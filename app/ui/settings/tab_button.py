"""A button that opens a tab for an address that is known only later."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class TabButton(Island):
    """A button that opens an empty tab when it is pressed, and loads `address` in the tab when the address is known.

    - `on_open`: gets whether the browser has opened a tab.
    - `asking`: the server is requesting the address. If this ends without an address, the tab is closed.
    - `shown`: the button is visible. A hidden button still waits for the address.
    """

    library = island("settings/tab_button.tsx")
    tag = "TabButton"
    shown: rx.Var[bool]
    asking: rx.Var[bool]
    address: rx.Var[str]
    on_open: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
