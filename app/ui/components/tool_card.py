"""A tool call in the history. The script explains how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class ToolCard(Script):
    """Call `index` of a pair's reply. `live`: the reply is still running."""

    library = script("tool_card.jsx")
    tag = "ToolCard"
    pair: rx.Var[Any]
    index: rx.Var[int]
    live: rx.Var[bool]
