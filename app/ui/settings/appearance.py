"""Settings → Appearance: the colors and the language of the page, and what applies them.

The choice is a preference of the person. The browser keeps a copy of the theme, which the first script of every page
reads before anything is drawn: Reflex writes that script into the page, and the policy admits it by its hash. Another
language is another page: it is loaded anew.
"""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex_base.style import LiteralColorMode, set_color_mode

from app.domain.preferences import Theme
from app.language.catalogue import LANGUAGES, load_catalogue
from app.state.settings.appearance import AppearanceState
from app.state.settings.preferences import PreferencesState
from app.ui.phrase import phrase
from app.ui.settings.parts import once_loaded, radio, section

# Once for each language: a page that comes in another one than asked for is not loaded again and again.
_RELOAD: Final = """(() => {
  const asked = document.documentElement.lang + ">" + (%s);
  if (sessionStorage.getItem("language") === asked) return;
  sessionStorage.setItem("language", asked);
  location.reload();
})()"""


def appearance() -> rx.Component:
    """The section of the appearance."""
    return section(
        "appearance",
        phrase("settings.appearance.title"),
        phrase("settings.appearance.about"),
        once_loaded(PreferencesState.loaded, rx.fragment(_themes(), _languages())),
    )


def preferred_theme() -> rx.Component:
    """Have the browser use and keep the preferred theme. One on each page."""
    theme = PreferencesState.preferred.theme
    return rx.cond(PreferencesState.loaded, rx.fragment(applied_theme(theme=theme), key=theme))  # mounted anew for each


@rx.memo
def applied_theme(theme: rx.Var[LiteralColorMode]) -> rx.Component:
    """Tell Reflex's colour mode, which the browser keeps. A component of its own, as it acts when it is mounted."""
    return rx.el.span(hidden=True, on_mount=set_color_mode(theme))


def _themes() -> rx.Component:
    chosen = PreferencesState.preferred.theme
    names = {
        Theme.SYSTEM: phrase("settings.appearance.theme_system"),
        Theme.LIGHT: phrase("settings.appearance.theme_light"),
        Theme.DARK: phrase("settings.appearance.theme_dark"),
    }
    return rx.el.fieldset(
        rx.el.legend(phrase("settings.appearance.theme")),
        *(
            radio(
                name,
                name="theme",
                value=theme.value,
                checked=chosen == theme.value,
                on_change=AppearanceState.choose_theme(theme.value),
            )
            for theme, name in names.items()
        ),
        class_name="context-settings",
    )


def _languages() -> rx.Component:
    chosen = PreferencesState.preferred.language
    names = {
        "": phrase("settings.appearance.language_system"),
        **{language: load_catalogue(language).name for language in LANGUAGES},
    }
    return rx.el.fieldset(
        rx.el.legend(phrase("settings.appearance.language")),
        *(
            radio(
                name,
                name="language",
                value=language,
                checked=chosen == language,
                on_change=AppearanceState.choose_language(language),
            )
            for language, name in names.items()
        ),
        rx.cond(
            (AppearanceState.served != "") & (AppearanceState.served != phrase("language.tag")),
            rx.fragment(loaded_anew(language=AppearanceState.served), key=AppearanceState.served),
        ),
        class_name="context-settings",
    )


@rx.memo
def loaded_anew(language: rx.Var[str]) -> rx.Component:
    """Load the page again, in this language. A component of its own, as it acts when it is mounted."""
    return rx.el.span(hidden=True, on_mount=rx.run_script(rx.Var(_RELOAD % str(language))))
