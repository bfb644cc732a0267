"""Settings → Appearance: the theme of the page."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.settings.preferences import Theme
from app.state.settings.preferences import prefer


class AppearanceState(rx.State):
    """A state without vars: the handler for the theme, which is a preference."""

    @rx.event
    async def choose_theme(self, theme: str) -> None:
        """Store the theme for all browsers of this user. A value that is not a theme is ignored."""
        if theme in set(Theme):
            await prefer(self, lambda known: replace(known, theme=Theme(theme)))
