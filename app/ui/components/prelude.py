"""What stands beside a conversation in all that is sent of it: the card of the person, secrets that are kept back."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class PreludeCard(Script):
    """What models are told of the person, as it is sent."""

    library = script("prelude.jsx")
    tag = "PreludeCard"


class SecretMark(Script):
    """At a pair: secrets that go out, or went out, as marks."""

    library = script("prelude.jsx")
    tag = "SecretMark"
    secrets: rx.Var[list[dict[str, Any]]]
    redacted: rx.Var[list[dict[str, Any]]]


class PrivacySettings(Script):
    """What models are told of the person, and whether secrets are replaced."""

    library = script("privacy_settings.jsx")
    tag = "PrivacySettings"
