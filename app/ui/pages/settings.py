"""The page of `/settings`: links to its sections, then the sections."""

from __future__ import annotations

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
from app.ui.settings.appearance import appearance
from app.ui.settings.context import context
from app.ui.settings.keys import keys
from app.ui.settings.permissions import permissions
from app.ui.settings.privacy import privacy
from app.ui.settings.providers import providers
from app.ui.settings.section_links import SectionLinks
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
"""What is read when the page is opened, in the order of the page: what is there is not pushed down by what comes."""

_SECTIONS: Final = {
    "providers": "Providers",
    "privacy": "Privacy",
    "context": "Context",
    "titles": "Titles and replays",
    "tools": "Tools",
    "permissions": "Permissions",
    "appearance": "Appearance",
    "keys": "Keys",
}
"""Name of each section, by the id of its heading."""


def settings() -> rx.Component:
    """The page."""
    return frame(
        rx.el.div(
            rx.el.div(
                SectionLinks.create(
                    *(rx.el.a(name, href=f"#{anchor}") for anchor, name in _SECTIONS.items()),
                    label="Sections of the settings",
                    class_name="section-links",
                ),
                providers(),
                privacy(),
                context(),
                titles(),
                tools(),
                permissions(),
                appearance(),
                keys(),
                class_name="mx-auto max-w-column px-5 pt-4 pb-16",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
            custom_attrs={"data-scroller": ""},
        ),
        top=rx.el.h1("Settings", class_name="text-[14.5px] font-semibold"),
    )
