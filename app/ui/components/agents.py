"""Agents on screen: the page that makes them."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Agents(Script):
    """The list of agents and the form of one. `on_changed`: menus of agents may be others."""

    library = script("agents.jsx")
    tag = "Agents"
    on_changed: rx.EventHandler[rx.event.no_args_event_spec]
