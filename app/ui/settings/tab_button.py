"""A button that opens a tab whose address is known only after the press."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class TabButton(Island):
    """Opens an empty tab when it is pressed, and leads it to `address` as soon as there is one.

    `on_open` is told whether the browser has opened a tab. While `asking`, the address is being asked for; if that ends
    without one, the tab is closed. The button itself is drawn while `shown`; it waits for the address also when it is
    not.
    """

    library = island("settings/tab_button.tsx")
    tag = "TabButton"
    shown: rx.Var[bool]
    asking: rx.Var[bool]
    address: rx.Var[str]
    on_open: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
