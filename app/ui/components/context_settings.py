"""Settings of the context: limits, ceilings, and what to do when pairs do not fit."""

from __future__ import annotations

from app.ui.components.scripts import Script, script


class ContextSettings(Script):
    """The form, which reads and writes the preferences by itself."""

    library = script("context_settings.jsx")
    tag = "ContextSettings"
