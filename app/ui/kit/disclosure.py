"""A disclosure: its summary opens and closes it."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Disclosure(Island):
    """The children, under a `summary`; they are drawn when it is opened. `opened`: it is so at first.

    Where they are not known before: `missing` names what has to be read, "" if it is there, and `on_need` reads it, as
    soon as it is open and whenever another name is missing. `on_fold`: it is closed again. `status` is for its looks.
    `opened`: it begins open.
    """

    library = island("kit/disclosure.tsx")
    tag = "Disclosure"
    summary: rx.Var[rx.Component]
    status: rx.Var[str] | None = None
    missing: rx.Var[str] | None = None
    opened: rx.Var[bool] | None = None
    on_need: rx.EventHandler[rx.event.no_args_event_spec]
    on_fold: rx.EventHandler[rx.event.no_args_event_spec]
