"""A JSON text with line breaks and colours, to read."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class JsonLines(Island):
    """The lines of a JSON text that begins `depth` levels deep. `plain`: it is not valid JSON alone."""

    library = island("kit/json_lines.tsx")
    tag = "JsonLines"
    text: rx.Var[str]
    depth: rx.Var[int] | None = None
    plain: rx.Var[bool] | None = None
