"""Settings → Privacy: what models are told about the person, and which secrets are replaced before sending."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.privacy.user_context import MAX_ABOUT
from app.state.settings.preferences import PreferencesState
from app.state.settings.privacy import PrivacyState
from app.ui import routes
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase
from app.ui.settings.parts import checkbox, once_loaded, saving, section

_MY_ZONE: Final = rx.Var("(Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC')").to(str)
"""Only the browser knows the time zone that it runs in."""


def privacy() -> rx.Component:
    """The section of privacy."""
    return section(
        "privacy",
        phrase("settings.privacy.privacy"),
        phrase("settings.privacy.about"),
        once_loaded(PrivacyState.opened > 0, _settings()),
    )


def _settings() -> rx.Component:
    preferred = PreferencesState.preferred
    return rx.el.div(
        _about(),
        checkbox(
            phrase("settings.privacy.send_text"),
            checked=preferred.tell_about_me,
            on_change=PrivacyState.tell_about_me,
        ),
        checkbox(
            rx.el.span(
                phrase("settings.privacy.send_date"),
                rx.cond(
                    preferred.date_zone != "", phrase("settings.privacy.date_zone", date_zone=preferred.date_zone), ""
                ),
                phrase("settings.privacy.date_ends_cache"),
            ),
            checked=preferred.date_zone != "",
            on_change=lambda on: PrivacyState.tell_day(on, _MY_ZONE),
        ),
        rx.cond(
            PrivacyState.prelude != "",
            rx.el.details(
                rx.el.summary(phrase("settings.privacy.sent_above_every_conversation")),
                rx.el.p(PrivacyState.prelude, dir="auto"),
                class_name="privacy-shown",
            ),
        ),
        checkbox(
            phrase("settings.privacy.redact_option"),
            checked=preferred.redact,
            on_change=PrivacyState.redact,
        ),
        rx.el.p(
            phrase("settings.privacy.redact_hint"),
            class_name="privacy-note",
        ),
        rx.el.p(PageLink.create(phrase("share.all"), to=routes.SHARES, class_name="insert-more")),
        role="group",
        aria_label=phrase("settings.privacy.about_you_and_secrets"),
        class_name="context-settings privacy-settings",
    )


def _about() -> rx.Component:
    return rx.el.form(
        rx.el.label(phrase("settings.privacy.text_hint"), html_for="about-me"),
        rx.el.textarea(
            id="about-me",
            name="about_me",
            rows=4,
            max_length=MAX_ABOUT,
            default_value=PreferencesState.preferred.about_me,
            dir="auto",
        ),
        saving(PrivacyState.said),
        on_submit=PrivacyState.save_about,
        key=f"opened {PrivacyState.opened}",
    )
