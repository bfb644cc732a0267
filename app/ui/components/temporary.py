"""Temporary conversations on screen: the switch for the next one, the note on one that is."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class TemporarySwitch(Script):
    """Whether the next conversation is temporary."""

    library = script("temporary.jsx")
    tag = "TemporarySwitch"


class TemporaryNote(Script):
    """What a temporary conversation is, and the ways out of that. Nothing for others."""

    library = script("temporary.jsx")
    tag = "TemporaryNote"
    conversation: rx.Var[str]
    temporary: rx.Var[bool]
    on_kept: rx.EventHandler[rx.event.no_args_event_spec]
    on_discard: rx.EventHandler[rx.event.passthrough_event_spec(str)]
