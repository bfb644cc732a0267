"""A reply that was asked to fit a JSON schema, as the script beside this draws it."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Structured(Script):
    """The last text of a structured reply. Its children draw the source."""

    library = script("structured.jsx")
    tag = "Structured"
    pair_id: rx.Var[str]
    live: rx.Var[bool]
