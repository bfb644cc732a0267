"""Tells the old scripts what was changed on this page. Goes with `components/preferences.js`."""

from __future__ import annotations

import reflex as rx

from app.state.settings.preferences import OwnKey
from app.ui.kit.island import Island, island


class RememberedPreferences(Island):
    """Draws nothing. The scripts of a conversation read keys from the browser before they ask the server."""

    library = island("settings/remembered.tsx")
    tag = "RememberedPreferences"
    loaded: rx.Var[bool]
    keys: rx.Var[tuple[OwnKey, ...]]
    enters_view: rx.Var[bool]
