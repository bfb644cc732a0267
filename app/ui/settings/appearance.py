"""Settings → Appearance: the choice of the colours of the page, and the component that applies it.

The choice is a preference of the user. The browser keeps a copy, which the first script of every page reads before
anything is drawn: Reflex writes that script into the page, and the content security policy allows it by its hash.
"""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex_base.style import LiteralColorMode, set_color_mode

from app.domain.settings.preferences import Theme
from app.state.settings.appearance import AppearanceState
from app.state.settings.preferences import PreferencesState
from app.ui.settings.parts import once_loaded, radio, section

_NAMES: Final = {Theme.SYSTEM: "System", Theme.LIGHT: "Light", Theme.DARK: "Dark"}


def appearance() -> rx.Component:
    """Draw the section Appearance of the Settings page."""
    return section(
        "appearance",
        "Appearance",
        "The colours of the page, in every browser you use.",
        once_loaded(PreferencesState.loaded, _themes()),
    )


def preferred_theme() -> rx.Component:
    """Create an invisible component that makes the browser use and store the preferred theme. Each page has one."""
    theme = PreferencesState.preferred.theme
    # with another key, the component is mounted again
    return rx.cond(PreferencesState.loaded, rx.fragment(applied_theme(theme=theme), key=theme))


@rx.memo
def applied_theme(theme: rx.Var[LiteralColorMode]) -> rx.Component:
    """Create a component that sets Reflex's colour mode when it is mounted. The browser stores this mode."""
    return rx.el.span(hidden=True, on_mount=set_color_mode(theme))


def _themes() -> rx.Component:
    chosen = PreferencesState.preferred.theme
    return rx.el.fieldset(
        rx.el.legend("Theme"),
        *(
            radio(
                name,
                name="theme",
                value=theme.value,
                checked=chosen == theme.value,
                on_change=AppearanceState.choose_theme(theme.value),
            )
            for theme, name in _NAMES.items()
        ),
        class_name="context-settings",
    )
