"""The trash on screen: its list, and what says that a conversation was just put there."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Trash(Script):
    """What was deleted, and what can be done with it. `on_changed`: the list of conversations may be another."""

    library = script("trash.jsx")
    tag = "Trash"
    on_changed: rx.EventHandler[rx.event.no_args_event_spec]


class Deleted(Script):
    """Says that this `conversation` was deleted `at` that time, and offers to bring it back."""

    library = script("deleted.jsx")
    tag = "Deleted"
    conversation: rx.Var[str]
    name: rx.Var[str]
    at: rx.Var[str]
