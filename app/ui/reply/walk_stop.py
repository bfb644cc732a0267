"""Marks the parts of a pair that keys move between."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.phrase import phrase
from app.views.screen.pair import ScreenPairView


def stop(pair: rx.vars.ObjectVar[ScreenPairView], name: str, part: rx.Var[int] | str) -> dict[str, Any]:
    """What makes an element a part that keys walk to (`transcript/walk.ts`): it takes the focus and has a name."""
    label = phrase("reply.of_pair", name=name, position=pair.position.to_string())
    return {"role": "group", "aria_label": label, "tab_index": -1, "data_part": part}
