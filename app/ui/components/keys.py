"""Modes, keys and what they open: the badge beside the composer, the host of keys and dialogs.

The table of keys is in `keys.js`; nothing of it is known here.
"""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Keyboard(Script):
    """Hears the keys of the page and shows the dialogs they open. One on each page.

    `on_topic` asks for the picker for a pair, `on_sheet` for the sheet of keys, `on_remove` whether to delete a pair,
    `on_models` which models answer a pair again, `on_edit` edits one, `on_summary` asks what is to be summarised;
    `has_dialog`: one of these is open.
    """

    library = script("modes.jsx")
    tag = "Keyboard"
    has_dialog: rx.Var[bool]
    on_topic: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_sheet: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_remove: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_models: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_summary: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class ModeBadge(Script):
    """INPUT, VIEW or COMMAND, where the focus is. It opens the sheet of keys."""

    library = script("modes.jsx")
    tag = "ModeBadge"


class ToastBridge(Script):
    """Carries what the old scripts say, and what they take back."""

    library = script("toast_bridge.jsx")
    tag = "ToastBridge"
    on_tell: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_undo: rx.EventHandler[rx.event.no_args_event_spec]
