"""The versions of a pair, in its line. The script explains how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class Versions(Script):
    """Which version stands, arrows to the others, and the way to compare them; nothing where there is but one."""

    library = script("versions.jsx")
    tag = "Versions"
    pair: rx.Var[Any]
