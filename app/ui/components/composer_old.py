"""What stands around the text area and is no Python yet."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class ComposerTools(Script):
    """Inserting from servers."""

    library = script("composer_old.jsx")
    tag = "ComposerTools"
    agent: rx.Var[str]
