"""The page of `/settings`: links to its sections, then the sections."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.settings.allowances import AllowanceState
from app.state.settings.context import ContextState
from app.state.settings.keys import KeysState
from app.state.settings.people import PeopleState
from app.state.settings.permissions import PermissionRulesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.providers import ProvidersState
from app.state.settings.retention import RetentionState
from app.state.settings.sections import SECTIONS
from app.state.settings.servers import ServersState
from app.state.settings.session import SessionState
from app.state.settings.shared_servers import SharedServersState
from app.state.settings.titles import TitlesState
from app.state.settings.tokens import TokensState
from app.ui.pages.frame import frame
from app.ui.phrase import phrase
from app.ui.settings.appearance import appearance
from app.ui.settings.keys import keys
from app.ui.settings.models.context import context
from app.ui.settings.models.privacy import privacy
from app.ui.settings.models.providers import providers
from app.ui.settings.models.titles import titles
from app.ui.settings.people.account import account
from app.ui.settings.people.allowances import allowances
from app.ui.settings.people.people import people
from app.ui.settings.people.tokens import tokens
from app.ui.settings.retention import retention
from app.ui.settings.section_links import SectionLinks
from app.ui.settings.tools.permissions import permissions
from app.ui.settings.tools.tools import tools

ON_LOAD: Final[list[Any]] = [
    SessionState.load,
    PeopleState.load,
    AllowanceState.load,
    ContextState.load,
    PrivacyState.load,
    ProvidersState.load,
    ServersState.load,
    SharedServersState.load,
    TitlesState.load,
    TokensState.load,
    RetentionState.load,
    PermissionRulesState.load,
    KeysState.load,
]
"""What is read when the page is opened."""


def settings() -> rx.Component:
    """The page."""
    return frame(
        rx.el.div(
            rx.el.div(
                SectionLinks.create(
                    rx.cond(SessionState.email != "", rx.el.a(phrase("settings.account.title"), href="#account")),
                    rx.cond(PeopleState.shown, rx.el.a(phrase("settings.people.title"), href="#people")),
                    *(rx.el.a(phrase(name), href=f"#{anchor}") for anchor, name in SECTIONS.items()),
                    label=phrase("settings.sections_of_the_settings"),
                    class_name="section-links",
                ),
                account(),
                people(),
                allowances(),
                providers(),
                privacy(),
                context(),
                titles(),
                tools(),
                permissions(),
                tokens(),
                retention(),
                appearance(),
                keys(),
                class_name="mx-auto max-w-column px-5 pt-4 pb-16",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
            custom_attrs={"data-scroller": ""},
        ),
        top=rx.el.h1(phrase("common.settings"), class_name="text-[14.5px] font-semibold"),
    )
