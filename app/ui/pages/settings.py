"""The page of `/settings`: a navigation, and one section at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import reflex as rx

from app.state.settings.context import ContextState
from app.state.settings.keys import KeysState
from app.state.settings.permissions import PermissionRulesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.providers import ProvidersState
from app.state.settings.servers import ServersState
from app.state.settings.titles import TitlesState
from app.ui.pages.frame import frame
from app.ui.settings.access import access
from app.ui.settings.appearance import appearance
from app.ui.settings.context import context
from app.ui.settings.keys import keys
from app.ui.settings.permissions import permissions
from app.ui.settings.privacy import privacy
from app.ui.settings.providers import providers
from app.ui.settings.sections import SectionLink, Sections
from app.ui.settings.titles import titles
from app.ui.settings.tools import tools

ON_LOAD: Final[list[Any]] = [
    ProvidersState.load,
    PrivacyState.load,
    ContextState.load,
    TitlesState.load,
    ServersState.load,
    PermissionRulesState.load,
    KeysState.load,
    ServersState.follow,
]
"""The events that load the data of the page when it is opened."""

_SECTIONS: Final[Mapping[SectionLink, Callable[[], rx.Component]]] = {
    SectionLink("providers", "Providers"): providers,
    SectionLink("privacy", "Privacy"): privacy,
    SectionLink("context", "Context"): context,
    SectionLink("titles", "Titles and stored replies"): titles,
    SectionLink("tools", "Tools"): tools,
    SectionLink("permissions", "Permissions"): permissions,
    SectionLink("access", "Access log"): access,
    SectionLink("appearance", "Appearance"): appearance,
    SectionLink("keys", "Keyboard shortcuts"): keys,
}
"""The sections in the order of the navigation."""


def settings() -> rx.Component:
    """Draw the page of `/settings`."""
    return frame(
        rx.el.div(
            Sections.create(
                *(rx.el.div(section(), key=link.id) for link, section in _SECTIONS.items()),
                label="Sections of the settings",
                links=tuple(_SECTIONS),
                class_name="settings-sections",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
            custom_attrs={"data-scroller": ""},
        ),
        top=rx.el.h1("Settings", class_name="text-[14.5px] font-semibold"),
    )
