"""The inspector: the column that shows the exact request, on demand."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Inspector(Script):
    """The column itself, closed until asked for."""

    library = script("inspector.jsx")
    tag = "Inspector"


class InspectorToggle(Script):
    """Opens and closes it."""

    library = script("inspector.jsx")
    tag = "InspectorToggle"
    label: rx.Var[str]
