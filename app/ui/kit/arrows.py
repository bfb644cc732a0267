"""Walking through a group with the arrow keys."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Arrows(Island):
    """A group in which arrow keys walk through the controls inside `among`, a CSS selector of a part of it."""

    library = island("kit/arrows.tsx")
    tag = "Arrows"
    among: rx.Var[str]
