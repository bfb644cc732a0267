"""Content that is shown when its summary is pressed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Disclosure(Island):
    """Children under a `summary`; they are drawn when it is opened. `opened`: it is open at first.

    For content that is loaded later: `missing` names the content to load, "" if it is loaded, and `on_need` loads it
    when the disclosure is open and whenever `missing` changes. `on_fold` is sent when it is closed. `status` is for
    styling.
    """

    library = island("kit/disclosure.tsx")
    tag = "Disclosure"
    summary: rx.Var[rx.Component]
    status: rx.Var[str] | None = None
    missing: rx.Var[str] | None = None
    opened: rx.Var[bool] | None = None
    on_need: rx.EventHandler[rx.event.no_args_event_spec]
    on_fold: rx.EventHandler[rx.event.no_args_event_spec]
