"""Settings → Appearance: the colours of the page."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.preferences import Theme
from app.state.settings.preferences import prefer


class AppearanceState(rx.State):
    """Has no vars: the theme is a preference."""

    @rx.event
    async def choose_theme(self, theme: str) -> None:
        """Use these colours from now on, in every browser of this person; what is no theme changes nothing."""
        if theme in set(Theme):
            await prefer(self, lambda known: replace(known, theme=Theme(theme)))
