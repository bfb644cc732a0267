"""Modes, keys and what they open: the badge beside the composer, the host of keys and dialogs, the settings of keys.

The table of keys is in `keys.js`; nothing of it is known here.
"""

from __future__ import annotations

from app.ui.components.scripts import Script, script


class Keyboard(Script):
    """Hears the keys of the page and shows the dialogs they open. One on each page."""

    library = script("modes.jsx")
    tag = "Keyboard"


class ModeBadge(Script):
    """INPUT, VIEW or COMMAND, where the focus is. It opens the sheet of keys."""

    library = script("modes.jsx")
    tag = "ModeBadge"


class Toasts(Script):
    """What was just done, and how to take it back. It stands above the composer."""

    library = script("toasts.jsx")
    tag = "Toasts"


class KeySettings(Script):
    """Every key, to be changed."""

    library = script("key_settings.jsx")
    tag = "KeySettings"
