"""Settings → Privacy: the text about the user that is sent to models, and redaction of secrets."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.privacy.user_context import MAX_ABOUT, MAX_FIRST_REQUEST, MAX_USER_NAME
from app.state.settings.preferences import PreferencesState
from app.state.settings.privacy import PrivacyState
from app.ui.settings.parts import checkbox, once_loaded, saving, section

_MY_ZONE: Final = rx.Var("(Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC')").to(str)
"""The browser's time zone, which only the browser knows."""


def privacy() -> rx.Component:
    """Draw the section Privacy of the Settings page."""
    return section(
        "privacy",
        "Privacy",
        "The text about you that models get, and the redaction of secrets. A conversation shows this text, and a note "
        "at each pair with redacted secrets.",
        once_loaded(PrivacyState.opened > 0, _settings()),
    )


def _settings() -> rx.Component:
    preferred = PreferencesState.preferred
    return rx.el.div(
        _about(),
        checkbox("Send this text to models", checked=preferred.tell_about_me, on_change=PrivacyState.tell_about_me),
        checkbox(
            rx.el.span(
                "Send today's date to models",
                rx.cond(preferred.date_zone != "", f" (time zone: {preferred.date_zone})", ""),
                ". Clears the provider’s cache every day",
            ),
            checked=preferred.date_zone != "",
            on_change=lambda on: PrivacyState.tell_day(on, _MY_ZONE),
        ),
        checkbox(
            "Send the time with the date. Each request then begins differently, so the provider’s cache is not used: "
            "long conversations cost more",
            checked=preferred.tell_time,
            disabled=preferred.date_zone == "",
            on_change=PrivacyState.tell_time,
        ),
        checkbox(
            "Send the name of the folder of a conversation as its project",
            checked=preferred.tell_project,
            on_change=PrivacyState.tell_project,
        ),
        checkbox(
            "Send the first request of a conversation with every later one, also to agents that work on it "
            f"(at most {MAX_FIRST_REQUEST:,} characters)",
            checked=preferred.tell_first_request,
            on_change=PrivacyState.tell_first_request,
        ),
        rx.cond(
            PrivacyState.prelude != "",
            rx.el.details(
                rx.el.summary("Sent above every conversation"),
                rx.el.p(PrivacyState.prelude, dir="auto"),
                class_name="privacy-shown",
            ),
        ),
        checkbox(
            "Redact keys, tokens and passwords of known forms in everything that is sent",
            checked=preferred.redact,
            on_change=PrivacyState.redact,
        ),
        rx.el.p(
            "The conversation itself keeps them. Images, files and tool descriptions are not searched.",
            class_name="privacy-note",
        ),
        role="group",
        aria_label="Text about you, and redaction",
        class_name="context-settings privacy-settings",
    )


def _about() -> rx.Component:
    return rx.el.form(
        rx.el.label("About you: your name, what you do, how you like your answers", html_for="about-me"),
        rx.el.textarea(
            id="about-me",
            name="about_me",
            rows=4,
            max_length=MAX_ABOUT,
            default_value=PreferencesState.preferred.about_me,
            dir="auto",
        ),
        rx.el.label("Name or id for models (optional)", html_for="user-name"),
        rx.el.input(
            id="user-name",
            name="user_name",
            max_length=MAX_USER_NAME,
            default_value=PreferencesState.preferred.user_name,
            auto_complete="off",
            dir="auto",
        ),
        saving(PrivacyState.said),
        on_submit=PrivacyState.save_about,
        key=f"opened {PrivacyState.opened}",
    )
