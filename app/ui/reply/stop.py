"""Stops of the cursor: the parts of a pair that the cursor reaches by keys. This module makes their attributes."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.views.reply.pair import ScreenPairView


def stop(pair: rx.vars.ObjectVar[ScreenPairView], name: str, part: rx.Var[int] | str) -> dict[str, Any]:
    """Return the HTML attributes that make a part of a pair a stop of the cursor (`transcript/walk.ts`).

    They make the part focusable and give it an accessible name: `name` and the position of the pair.
    """
    label = f"{name} of pair " + pair.position.to_string()
    return {"role": "group", "aria_label": label, "tab_index": -1, "data_part": part}
