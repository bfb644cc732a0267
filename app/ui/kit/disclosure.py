"""Content that is shown when its summary is pressed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Disclosure(Island):
    """A line, `summary`, that shows its children when it is pressed. They are drawn only while they are shown.

    `opened`: the children are shown at first. `status` is for the stylesheet. If the children are loaded on demand,
    `missing` is a name for what is not loaded yet, "" for nothing. While the children are shown, `on_need` is sent if
    `missing` is not "", and again when `missing` changes. `on_fold` is sent when a person hides the children.
    """

    library = island("kit/disclosure.tsx")
    tag = "Disclosure"
    summary: rx.Var[rx.Component]
    status: rx.Var[str] | None = None
    missing: rx.Var[str] | None = None
    opened: rx.Var[bool] | None = None
    on_need: rx.EventHandler[rx.event.no_args_event_spec]
    on_fold: rx.EventHandler[rx.event.no_args_event_spec]
