"""What can be done about a reply that failed. The script explains how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class FailureActions(Script):
    """The next steps of a failed pair, as buttons."""

    library = script("failure.jsx")
    tag = "FailureActions"
    pair: rx.Var[Any]
