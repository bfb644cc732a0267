"""A button that opens a tab for an address that is known only later."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class TabButton(Island):
    """Opens an empty tab when it is pressed, and loads `address` in it as soon as there is one.

    `on_open` gets whether the browser has opened a tab. `asking`: the address is being requested; if this ends without
    an address, the tab is closed. The button is drawn while `shown`; it waits for the address even if it is not drawn.
    """

    library = island("settings/tab_button.tsx")
    tag = "TabButton"
    shown: rx.Var[bool]
    asking: rx.Var[bool]
    address: rx.Var[str]
    on_open: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
