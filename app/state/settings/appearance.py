"""Settings → Appearance: the colors and the language of the page."""

from __future__ import annotations

from dataclasses import replace

import reflex as rx

from app.domain.preferences import Theme
from app.language.catalogue import LANGUAGES
from app.language.choice import reader_language
from app.state.settings.preferences import prefer


class AppearanceState(rx.State):
    """Theme and language are preferences. `served` is the language that this tab is to be loaded in, "" at first."""

    served: rx.Field[str] = rx.field("")

    @rx.event
    async def choose_theme(self, theme: str) -> None:
        """Use these colors from now on, in every browser of this person; what is no theme changes nothing."""
        if theme in set(Theme):
            await prefer(self, lambda known: replace(known, theme=Theme(theme)))

    @rx.event
    async def choose_language(self, language: str) -> None:
        """Use this language in every browser of this person; "": the one that each asks for. The page is loaded again.

        What is no language changes nothing.
        """
        if language in {"", *LANGUAGES}:
            await prefer(self, lambda known: replace(known, language=language or None))
            self.served = reader_language(self.router.headers.accept_language)
