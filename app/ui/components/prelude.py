"""Secrets that are kept back of what is sent."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class SecretMark(Script):
    """At a pair: secrets that go out, or went out, as marks."""

    library = script("prelude.jsx")
    tag = "SecretMark"
    secrets: rx.Var[list[dict[str, Any]]]
    redacted: rx.Var[list[dict[str, Any]]]
