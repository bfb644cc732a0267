"""What stands around the text area and is no Python yet."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class ComposerTools(Script):
    """Inserting from servers, and the schema of the reply."""

    library = script("composer_old.jsx")
    tag = "ComposerTools"
    agent: rx.Var[str]
    schema: rx.Var[str]
    on_schema: rx.EventHandler[rx.event.passthrough_event_spec(str)]
