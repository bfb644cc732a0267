"""A JSON text for reading, with line breaks and colours."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class JsonLines(Island):
    """The lines of a JSON text, or of a piece of one that begins `depth` levels deep.

    `plain`: the text is a piece of one long token, so it is shown without line breaks and colours.
    """

    library = island("kit/texts/json_lines.tsx")
    tag = "JsonLines"
    text: rx.Var[str]
    depth: rx.Var[int] | None = None
    plain: rx.Var[bool] | None = None
