"""The parts of a pair that keys walk to."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.views.screen.pair import ScreenPairView


def stop(pair: rx.vars.ObjectVar[ScreenPairView], name: str, part: rx.Var[int] | str) -> dict[str, Any]:
    """What makes an element a part that keys walk to (`transcript/walk.ts`): it takes the focus and has a name."""
    label = f"{name} of pair " + pair.position.to_string()
    return {"role": "group", "aria_label": label, "tab_index": -1, "data_part": part}
