"""A button that opens a popup, in which something is chosen."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class PopupButton(Island):
    """A button called `label`, which says what is `chosen`, `none` where that is "". It opens the `panel`.

    `path`: what is chosen is known for the page of this address only. `on_open`: the panel is opened. Its children
    stand beside what is chosen.
    """

    library = island("kit/popup_button.tsx")
    tag = "PopupButton"
    label: rx.Var[str]
    chosen: rx.Var[str]
    none: rx.Var[str]
    panel: rx.Var[rx.Component]
    path: rx.Var[str] | None = None
    on_open: rx.EventHandler[rx.event.no_args_event_spec]
