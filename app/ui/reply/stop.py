"""The HTML attributes of the parts of a pair that keys move to."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.views.screen.pair import ScreenPairView


def stop(pair: rx.vars.ObjectVar[ScreenPairView], name: str, part: rx.Var[int] | str) -> dict[str, Any]:
    """Return the attributes of a part that keys move to (`transcript/walk.ts`): they make it focusable and name it."""
    label = f"{name} of pair " + pair.position.to_string()
    return {"role": "group", "aria_label": label, "tab_index": -1, "data_part": part}
